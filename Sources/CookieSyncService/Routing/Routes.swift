// SPDX-License-Identifier: Apache-2.0

import HTTPServer

private let store = "/v1/tenants/{tenant}/jars/{jar}/stores/{store}"
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
            statuses: [200, 304, 400, 401, 403, 406, 409, 422, 503]
        ) { service, call, exchange throws(Problem) in
            try service.getCookieHeader(call, &exchange)
        },
        Route(
            "getCookieHeaders", .post, "\(store)/cookie-header", content: .json,
            statuses: postedReadStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.getCookieHeaders(call, &exchange)
        },
        Route(
            "explainCookies", .get, "\(store)/explain", query: retrievalQuery,
            statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.explainCookies(call, &exchange)
        },
        Route(
            "ingestResponse", .post, "\(store)/ingest",
            query: [
                "url", "origin_host", "original_url", "main_document_url", "partition_key",
                "same_site_context", "http_api", "dry_run",
            ],
            content: .jsonOrMessage, statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.ingestResponse(call, &exchange)
        },
        Route(
            "exchangeResponses", .post, "\(store)/exchange",
            query: [
                "url", "method", "origin_host", "original_url", "main_document_url",
                "partition_key", "same_site_context", "redirect_count", "dry_run",
            ],
            content: .jsonOrMessage, statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.exchangeResponses(call, &exchange)
        },
        Route(
            "listCookies", .get, "\(store)/cookies",
            query: ["url", "domain", "name", "path", "limit", "cursor"],
            statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.listCookies(call, &exchange)
        },
        Route(
            "putCookies", .put, "\(store)/cookies", content: .json, statuses: writeStatuses
        ) { service, call, exchange throws(Problem) in
            try service.putCookies(call, &exchange)
        },
        Route(
            "deleteCookies", .delete, "\(store)/cookies",
            query: ["url", "domain", "name", "path", "since", "all"],
            statuses: endStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.deleteCookies(call, &exchange)
        },
        Route(
            "rewriteDomain", .post, "\(store)/rewrite-domain", content: .json,
            statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.rewriteDomain(call, &exchange)
        },
        Route(
            "importCookies", .post, "\(store)/import", query: ["format", "url", "partial"],
            content: .file,
            statuses: writeStatuses
        ) { service, call, exchange throws(Problem) in
            try service.importCookies(call, &exchange)
        },
        Route(
            "exportCookies", .get, "\(store)/export", query: ["format", "url", "report"],
            statuses: readStatuses
        ) { service, call, exchange throws(Problem) in
            try service.exportCookies(call, &exchange)
        },
        Route(
            "getDocumentCookieScript", .get, "\(store)/document-cookie.js",
            query: ["url", "partition_key"], statuses: [200, 304, 400, 401, 403, 409, 422, 503]
        ) { service, call, exchange throws(Problem) in
            try service.getDocumentCookieScript(call, &exchange)
        },
        Route(
            "planWebView", .get, "\(store)/webview-plan", query: ["url", "partition_key"],
            repeatable: "url", statuses: readStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.planWebView(call, &exchange)
        },
        Route("endStoreSession", .post, "\(store)/end-session", statuses: endStatuses) {
            service, call, exchange throws(Problem) in
            try service.endStoreSession(call, &exchange)
        },
        Route(
            "promoteSession", .post, "\(store)/promote", content: .json,
            statuses: writeStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.promoteSession(call, &exchange)
        },
        Route("getStore", .get, store, statuses: readStatuses + [404]) {
            service, call, exchange throws(Problem) in
            try service.getStore(call, &exchange)
        },
        Route("putStore", .put, store, content: .json, statuses: [201] + writeStatuses) {
            service, call, exchange throws(Problem) in
            try service.putStore(call, &exchange)
        },
        Route("deleteStore", .delete, store, statuses: deleteStatuses) {
            service, call, exchange throws(Problem) in
            try service.deleteStore(call, &exchange)
        },
        Route(
            "syncStores", .post, "\(jar)/sync", content: .json,
            statuses: writeStatuses + [404] + [409]
        ) { service, call, exchange throws(Problem) in
            try service.syncStores(call, &exchange)
        },
        Route(
            "listChanges", .get, "\(jar)/changes",
            query: ["since", "store", "url", "limit", "wait"],
            statuses: readStatuses + [410, 429]
        ) { service, call, exchange throws(Problem) in
            try service.listChanges(call, &exchange)
        },
        Route("endJarSession", .post, "\(jar)/end-session", statuses: endStatuses) {
            service, call, exchange throws(Problem) in
            try service.endJarSession(call, &exchange)
        },
        Route("getJar", .get, jar, statuses: readStatuses + [404]) {
            service, call, exchange throws(Problem) in
            try service.getJar(call, &exchange)
        },
        Route("deleteJar", .delete, jar, statuses: deleteStatuses) {
            service, call, exchange throws(Problem) in
            try service.deleteJar(call, &exchange)
        },
        Route(
            "listJars", .get, "/v1/tenants/{tenant}/jars", query: ["limit", "cursor"],
            statuses: readStatuses
        ) { service, call, exchange throws(Problem) in
            try service.listJars(call, &exchange)
        },
        Route("listHosts", .get, hosts, query: ["limit", "cursor"], statuses: readStatuses) {
            service, call, exchange throws(Problem) in
            try service.listHosts(call, &exchange)
        },
        Route("getHost", .get, "\(hosts)/{host}", statuses: readStatuses + [404]) {
            service, call, exchange throws(Problem) in
            try service.getHost(call, &exchange)
        },
        Route(
            "putHost", .put, "\(hosts)/{host}", content: .json, statuses: [201] + recordStatuses
        ) { service, call, exchange throws(Problem) in
            try service.putHost(call, &exchange)
        },
        Route("deleteHost", .delete, "\(hosts)/{host}", statuses: recordDeleteStatuses) {
            service, call, exchange throws(Problem) in
            try service.deleteHost(call, &exchange)
        },
        Route("listSyncRules", .get, syncRules, statuses: readStatuses) {
            service, call, exchange throws(Problem) in
            try service.listSyncRules(call, &exchange)
        },
        Route("getSyncRule", .get, "\(syncRules)/{rule}", statuses: readStatuses + [404]) {
            service, call, exchange throws(Problem) in
            try service.getSyncRule(call, &exchange)
        },
        Route(
            "putSyncRule", .put, "\(syncRules)/{rule}", content: .json,
            statuses: [201] + recordStatuses + [409]
        ) { service, call, exchange throws(Problem) in
            try service.putSyncRule(call, &exchange)
        },
        Route(
            "deleteSyncRule", .delete, "\(syncRules)/{rule}", statuses: recordDeleteStatuses
        ) {
            service, call, exchange throws(Problem) in
            try service.deleteSyncRule(call, &exchange)
        },
        Route(
            "backUp", .post, "/v1/admin/backup", content: .json, statuses: adminStatuses
        ) { service, call, exchange throws(Problem) in
            try service.backUp(call, &exchange)
        },
        Route("verify", .post, "/v1/admin/verify", statuses: readStatuses + [507]) {
            service, call, exchange throws(Problem) in
            try service.verify(call, &exchange)
        },
        Route("encrypt", .post, "/v1/admin/encrypt", statuses: readStatuses + [507]) {
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
        Route("getMetrics", .get, "/metrics", statuses: [200, 401, 403, 422]) {
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
