// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage

private let store = "/v1/tenants/{tenant}/jars/{jar}/stores/{store}"
private let tenant = "/v1/tenants/{tenant}"
private let jar = "/v1/tenants/{tenant}/jars/{jar}"
private let hosts = "/v1/tenants/{tenant}/hosts"
private let syncRules = "/v1/tenants/{tenant}/sync-rules"
private let retrievalQuery: [StaticString] = [
    "url", "method", "same_site_context", "http_api", "partition_key", "origin_host",
]
private let readStatuses: [UInt16] = [200, 400, 401, 403, 422, 503]
private let postedReadStatuses: [UInt16] = [200, 400, 401, 403, 413, 415, 422, 503]
private let writeStatuses: [UInt16] = [200, 400, 401, 403, 412, 413, 415, 422, 503, 507]
private let recordStatuses: [UInt16] = [200, 400, 401, 403, 413, 415, 422, 503, 507]
private let recordDeleteStatuses: [UInt16] = [204, 400, 401, 403, 422, 503, 507]
private let endStatuses: [UInt16] = [200, 400, 401, 403, 412, 422, 503, 507]
private let deleteStatuses: [UInt16] = [204, 400, 401, 403, 412, 422, 503, 507]
private let adminStatuses: [UInt16] = [200, 400, 401, 403, 413, 415, 422, 503, 507]

extension RouteTable {
    /// The API as it is today, the busiest operation first.
    static let api = RouteTable([
        Route(
            "getCookieHeader", .get, "\(store)/cookie-header",
            query: retrievalQuery,
            access: .data([.read, .values]),
            statuses: [200, 304, 400, 401, 403, 406, 409, 422, 503]
        ) { service, call, exchange throws(Problem) in
            try service.getCookieHeader(call, &exchange)
        },
        Route(
            "getCookieHeaders", .post, "\(store)/cookie-header", content: .json,
            access: .data([.read, .values]), statuses: postedReadStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.getCookieHeaders(call, &exchange)
        },
        Route(
            "explainCookies", .get, "\(store)/explain", query: retrievalQuery,
            access: .data(.read), statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.explainCookies(call, &exchange)
        },
        Route(
            "ingestResponse", .post, "\(store)/ingest",
            query: [
                "url", "origin_host", "original_url", "main_document_url", "partition_key",
                "same_site_context", "http_api", "dry_run",
            ],
            content: .jsonOrMessage, access: .data(.write), statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.ingestResponse(call, &exchange)
        },
        Route(
            "exchangeResponses", .post, "\(store)/exchange",
            query: [
                "url", "method", "origin_host", "original_url", "main_document_url",
                "partition_key", "same_site_context", "redirect_count", "dry_run",
            ],
            content: .jsonOrMessage, access: .data([.write, .values]),
            statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.exchangeResponses(call, &exchange)
        },
        Route(
            "listCookies", .get, "\(store)/cookies",
            query: ["url", "domain", "name", "path", "limit", "cursor"],
            access: .data(.read), statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.listCookies(call, &exchange)
        },
        Route(
            "putCookies", .put, "\(store)/cookies", content: .json, access: .data(.write),
            statuses: writeStatuses
        ) { service, call, exchange throws(Problem) in
            try service.putCookies(call, &exchange)
        },
        Route(
            "deleteCookies", .delete, "\(store)/cookies",
            query: ["url", "domain", "name", "path", "since", "all"],
            access: .data(.write), statuses: endStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.deleteCookies(call, &exchange)
        },
        Route(
            "rewriteDomain", .post, "\(store)/rewrite-domain", content: .json,
            access: .data(.write), statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.rewriteDomain(call, &exchange)
        },
        Route(
            "importCookies", .post, "\(store)/import", query: ["format", "url", "partial"],
            content: .file,
            access: .data(.write), statuses: writeStatuses
        ) { service, call, exchange throws(Problem) in
            try service.importCookies(call, &exchange)
        },
        Route(
            "exportCookies", .get, "\(store)/export", query: ["format", "url", "report"],
            access: .data([.read, .values]), statuses: readStatuses
        ) { service, call, exchange throws(Problem) in
            try service.exportCookies(call, &exchange)
        },
        Route(
            "getDocumentCookieScript", .get, "\(store)/document-cookie.js",
            query: ["url", "partition_key"], access: .data([.read, .values]),
            statuses: [200, 304, 400, 401, 403, 409, 422, 503]
        ) { service, call, exchange throws(Problem) in
            try service.getDocumentCookieScript(call, &exchange)
        },
        Route(
            "planWebView", .get, "\(store)/webview-plan", query: ["url", "partition_key"],
            repeatable: "url", access: .data([.read, .values]), statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.planWebView(call, &exchange)
        },
        Route(
            "endStoreSession", .post, "\(store)/end-session", access: .data(.write),
            statuses: endStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.endStoreSession(call, &exchange)
        },
        Route(
            "promoteSession", .post, "\(store)/promote", content: .json,
            access: .data(.write), statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.promoteSession(call, &exchange)
        },
        Route("getStore", .get, store, access: .data(.read), statuses: readStatuses + [404]) {
            service, call, exchange throws(Problem) in
            try service.getStore(call, &exchange)
        },
        Route(
            "putStore", .put, store, content: .json, access: .data(.write),
            statuses: [201] + writeStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.putStore(call, &exchange)
        },
        Route("deleteStore", .delete, store, access: .data(.write), statuses: deleteStatuses) {
            service, call, exchange throws(Problem) in
            try service.deleteStore(call, &exchange)
        },
        Route(
            "syncStores", .post, "\(jar)/sync", content: .json,
            access: .data(.write), statuses: writeStatuses + [404] + [409]
        ) { service, call, exchange throws(Problem) in
            try service.syncStores(call, &exchange)
        },
        Route(
            "listChanges", .get, "\(jar)/changes",
            query: ["since", "store", "url", "limit", "wait"],
            access: .data(.feed), statuses: readStatuses + [409, 410, 429]
        ) { service, call, exchange throws(Problem) in
            try service.listChanges(call, &exchange)
        },
        Route(
            "endJarSession", .post, "\(jar)/end-session", access: .wholeJar(.write),
            statuses: endStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.endJarSession(call, &exchange)
        },
        Route("getJar", .get, jar, access: .data(.read), statuses: readStatuses + [304, 404]) {
            service, call, exchange throws(Problem) in
            try service.getJar(call, &exchange)
        },
        Route("deleteJar", .delete, jar, access: .wholeJar(.write), statuses: deleteStatuses) {
            service, call, exchange throws(Problem) in
            try service.deleteJar(call, &exchange)
        },
        Route(
            "listJars", .get, "/v1/tenants/{tenant}/jars", query: ["limit", "cursor"],
            access: .data(.read), statuses: readStatuses
        ) { service, call, exchange throws(Problem) in
            try service.listJars(call, &exchange)
        },
        Route(
            "listHosts", .get, hosts, query: ["limit", "cursor"], access: .wholeTenant,
            statuses: readStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.listHosts(call, &exchange)
        },
        Route(
            "getHost", .get, "\(hosts)/{host}", access: .wholeTenant, statuses: readStatuses + [404]
        ) {
            service, call, exchange throws(Problem) in
            try service.getHost(call, &exchange)
        },
        Route(
            "putHost", .put, "\(hosts)/{host}", content: .json, access: .wholeTenant,
            statuses: [201] + recordStatuses
        ) { service, call, exchange throws(Problem) in
            try service.putHost(call, &exchange)
        },
        Route(
            "deleteHost", .delete, "\(hosts)/{host}", access: .wholeTenant,
            statuses: recordDeleteStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.deleteHost(call, &exchange)
        },
        Route("listSyncRules", .get, syncRules, access: .wholeTenant, statuses: readStatuses) {
            service, call, exchange throws(Problem) in
            try service.listSyncRules(call, &exchange)
        },
        Route(
            "getSyncRule", .get, "\(syncRules)/{rule}", access: .wholeTenant,
            statuses: readStatuses + [404]
        ) {
            service, call, exchange throws(Problem) in
            try service.getSyncRule(call, &exchange)
        },
        Route(
            "putSyncRule", .put, "\(syncRules)/{rule}", content: .json,
            access: .wholeTenant, statuses: [201] + recordStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.putSyncRule(call, &exchange)
        },
        Route(
            "deleteSyncRule", .delete, "\(syncRules)/{rule}", access: .wholeTenant,
            statuses: recordDeleteStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.deleteSyncRule(call, &exchange)
        },
        Route(
            "putTenant", .put, tenant, content: .optionalJSON, access: .operations,
            statuses: [200, 201, 400, 401, 403, 413, 415, 422, 503, 507]
        ) { service, call, exchange throws(Problem) in
            try service.putTenant(call, &exchange)
        },
        Route(
            "getTenant", .get, tenant, access: .management, statuses: readStatuses + [404]
        ) { service, call, exchange throws(Problem) in
            try service.getTenant(call, &exchange)
        },
        Route(
            "deleteTenant", .delete, tenant, access: .operations,
            statuses: [204, 400, 401, 403, 422, 503, 507]
        ) {
            service, call, exchange throws(Problem) in
            try service.deleteTenant(call, &exchange)
        },
        Route(
            "createToken", .post, "\(tenant)/tokens", content: .json, access: .management,
            statuses: [201, 400, 401, 403, 404, 413, 415, 422, 503, 507]
        ) { service, call, exchange throws(Problem) in
            try service.createToken(call, &exchange)
        },
        Route(
            "listTokens", .get, "\(tenant)/tokens", access: .management,
            statuses: readStatuses + [404]
        ) { service, call, exchange throws(Problem) in
            try service.listTokens(call, &exchange)
        },
        Route(
            "getToken", .get, "\(tenant)/tokens/{token}", access: .management,
            statuses: readStatuses + [404]
        ) { service, call, exchange throws(Problem) in
            try service.getToken(call, &exchange)
        },
        Route(
            "deleteToken", .delete, "\(tenant)/tokens/{token}", access: .management,
            statuses: [204, 400, 401, 403, 404, 422, 503, 507]
        ) { service, call, exchange throws(Problem) in
            try service.deleteToken(call, &exchange)
        },
        Route(
            "rotateToken", .post, "\(tenant)/tokens/{token}/rotate", content: .optionalJSON,
            access: .management, statuses: [200, 400, 401, 403, 404, 413, 415, 422, 503, 507]
        ) { service, call, exchange throws(Problem) in
            try service.rotateToken(call, &exchange)
        },
        Route(
            "backUp", .post, "/v1/admin/backup", content: .json, access: .operations,
            statuses: adminStatuses
        ) { service, call, exchange throws(Problem) in
            try service.backUp(call, &exchange)
        },
        Route(
            "verify", .post, "/v1/admin/verify", access: .operations, statuses: readStatuses + [507]
        ) {
            service, call, exchange throws(Problem) in
            try service.verify(call, &exchange)
        },
        Route(
            "encrypt", .post, "/v1/admin/encrypt", access: .operations,
            statuses: readStatuses + [507]
        ) {
            service, call, exchange throws(Problem) in
            try service.encrypt(call, &exchange)
        },
        Route("getHealth", .get, "/healthz", access: .probe, statuses: [200]) {
            service, call, exchange throws(Problem) in
            service.getHealth(call, &exchange)
        },
        Route("getReadiness", .get, "/readyz", access: .probe, statuses: [200, 503]) {
            service, call, exchange throws(Problem) in
            try service.getReadiness(call, &exchange)
        },
        Route("getMetrics", .get, "/metrics", access: .metrics, statuses: [200, 401, 403, 422]) {
            service, call, exchange throws(Problem) in
            service.getMetrics(call, &exchange)
        },
        Route(
            "getOpenAPI", .get, "/openapi.yaml", access: .anyone, statuses: [200, 304, 403, 422]
        ) { service, call, exchange throws(Problem) in
            service.getOpenAPI(call, &exchange)
        },
    ])
}
