// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import TestSupport
import Testing

@testable import CookieSyncService

/// Who may use which operation, written down a second time, by hand: the table of routes is held against this one, and
/// an operation that is in neither or only in one of them fails.
@Suite("Every operation is for those who may use it, and for nobody else")
struct ScopeMatrixTests {
    /// The scopes that an operation needs; nil where no token of a tenant will do.
    private struct Need {
        var scopes: Set<String>?
        var admin = false
    }

    private static let needs: [String: Need] = [
        "getCookieHeader": Need(scopes: ["read", "values"]),
        "getCookieHeaders": Need(scopes: ["read", "values"]),
        "getDocumentCookieScript": Need(scopes: ["read", "values"]),
        "planWebView": Need(scopes: ["read", "values"]),
        "exportCookies": Need(scopes: ["read", "values"]),
        "explainCookies": Need(scopes: ["read"]),
        "listCookies": Need(scopes: ["read"]),
        "getStore": Need(scopes: ["read"]),
        "getJar": Need(scopes: ["read"]),
        "listJars": Need(scopes: ["read"]),
        "listChanges": Need(scopes: ["feed"]),
        "ingestResponse": Need(scopes: ["write"]),
        "exchangeResponses": Need(scopes: ["write", "values"]),
        "putCookies": Need(scopes: ["write"]),
        "deleteCookies": Need(scopes: ["write"]),
        "rewriteDomain": Need(scopes: ["write"]),
        "importCookies": Need(scopes: ["write"]),
        "endStoreSession": Need(scopes: ["write"]),
        "promoteSession": Need(scopes: ["write"]),
        "putStore": Need(scopes: ["write"]),
        "deleteStore": Need(scopes: ["write"]),
        "syncStores": Need(scopes: ["write"]),
        "endJarSession": Need(scopes: ["write"]),
        "deleteJar": Need(scopes: ["write"]),
        "getTenant": Need(scopes: ["admin"], admin: true),
        "createToken": Need(scopes: ["admin"], admin: true),
        "listTokens": Need(scopes: ["admin"], admin: true),
        "getToken": Need(scopes: ["admin"], admin: true),
        "deleteToken": Need(scopes: ["admin"], admin: true),
        "rotateToken": Need(scopes: ["admin"], admin: true),
        "listHosts": Need(scopes: ["admin"], admin: true),
        "getHost": Need(scopes: ["admin"], admin: true),
        "putHost": Need(scopes: ["admin"], admin: true),
        "deleteHost": Need(scopes: ["admin"], admin: true),
        "listSyncRules": Need(scopes: ["admin"], admin: true),
        "getSyncRule": Need(scopes: ["admin"], admin: true),
        "putSyncRule": Need(scopes: ["admin"], admin: true),
        "deleteSyncRule": Need(scopes: ["admin"], admin: true),
        "putTenant": Need(admin: true),
        "deleteTenant": Need(admin: true),
        "backUp": Need(admin: true),
        "verify": Need(admin: true),
        "encrypt": Need(admin: true),
        "getMetrics": Need(scopes: ["metrics"], admin: true),
    ]

    /// What anyone may ask.
    private static let open: Set<String> = ["getHealth", "getReadiness", "getOpenAPI"]

    private static let callers: [Set<String>] = [
        ["read"], ["write"], ["values"], ["feed"], ["admin"], ["metrics"], ["read", "values"],
        ["write", "values"], ["read", "write", "values", "feed", "admin", "metrics"],
    ]

    @Test("the table has every operation, and no other")
    func completeness() {
        let listed = Set(Self.needs.keys).union(Self.open)
        #expect(listed == Set(RouteTable.api.routes.map(\.operation)))
    }

    @Test("allowed, forbidden, unauthenticated", arguments: RouteTable.api.routes.map(\.operation))
    func matrix(_ operation: String) throws {
        let route = try #require(RouteTable.api.routes.first { $0.operation == operation })
        guard let need = Self.needs[operation] else {
            #expect(Self.open.contains(operation))
            return
        }
        let live = try LiveService.secured(tenants: ["acme", "other"])
        let tokens = try Self.callers.map { scopes in
            try live.mint(scopes.sorted().joined(separator: " "))
        }
        let stranger = try live.mint(
            "read write values feed admin metrics", of: "other")

        #expect(try ask(live, route, nil).status == 401)
        #expect(try ask(live, route, "csk_tenant_unknown").status == 401)
        for (scopes, token) in zip(Self.callers, tokens) {
            let isAllowed = need.scopes.map(scopes.isSuperset) ?? false
            try expect(ask(live, route, token.token), isAllowed, "\(operation) \(scopes)")
        }
        if route.path.text.contains("{tenant}") {
            let answer = try ask(live, route, stranger.token)
            let absent = try ask(live, route, stranger.token, tenant: "nobody")
            #expect(answer.status == 404, "\(operation) of another tenant")
            #expect(answer.withoutInstance == absent.withoutInstance)
        }
        // Last, as it may delete the tenant.
        try expect(ask(live, route, LiveService.adminToken), need.admin, "\(operation) admin")
    }

    private func expect(_ answer: RawResponse, _ isAllowed: Bool, _ what: String) {
        if isAllowed {
            #expect(![401, 403, 429].contains(answer.status), "\(what) is allowed")
        } else {
            #expect(answer.status == 403, "\(what) is forbidden")
        }
    }

    private func ask(
        _ live: LiveService, _ route: Route, _ token: String?, tenant: String = "acme"
    ) throws -> RawResponse {
        let path = route.path.text.split(separator: "/").map { piece in
            switch piece {
            case "{tenant}": tenant
            case "{jar}": "j"
            case "{store}": "s"
            case "{token}": "000000000000"
            default: piece.hasPrefix("{") ? "x" : String(piece)
            }
        }
        .joined(separator: "/")
        let takesBody = route.content != .none
        return try live.send(
            "\(route.method.name)", "/\(path)", as: token, json: takesBody ? "{}" : nil)
    }
}

extension RawResponse {
    /// The body without what names the request.
    var withoutInstance: String {
        text.split(separator: ",").filter { !$0.hasPrefix("\"instance\"") }.joined(separator: ",")
    }
}
