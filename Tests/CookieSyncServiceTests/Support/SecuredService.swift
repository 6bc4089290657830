// SPDX-License-Identifier: Apache-2.0

import AuditLog
import CookieSyncWire
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import CookieSyncService

extension LiveService {
    /// The admin token of the services that `secured` makes.
    static let adminToken = "an-admin-token-of-a-test"

    /// A service with an admin token and these tenants.
    static func secured(
        tenants: [String] = ["acme"], storage: any JarStorage = MemoryJarStorage(),
        catalogue: any TenantCatalogue = MemoryTenantCatalogue(),
        audit: AuditTrail? = nil,
        log: any LogSink = RecordingLog(),
        configure: (inout ServiceSettings) -> Void = { $0.failedLoginsPerMinute = 1000 }
    ) throws -> LiveService {
        let live = try LiveService(
            storage: storage, catalogue: catalogue, audit: audit, adminToken: adminToken, log: log,
            configure: configure)
        for tenant in tenants {
            #expect(try live.asAdmin("PUT", "/v1/tenants/\(tenant)").status == 201)
        }
        return live
    }

    /// Sends a request with the admin token.
    @discardableResult
    func asAdmin(_ method: String, _ target: String, json: String? = nil) throws -> RawResponse {
        try send(method, target, as: Self.adminToken, json: json)
    }

    /// Sends a request with a token, or without one.
    @discardableResult
    func send(
        _ method: String, _ target: String, as token: String?, json: String? = nil
    ) throws -> RawResponse {
        let fields = token.map { ["Authorization": "Bearer \($0)"] } ?? [:]
        return try send(method, target, json.map { Array($0.utf8) }, fields)
    }

    /// A new token of a tenant.
    func mint(
        _ scopes: String, of tenant: String = "acme", _ members: String = "",
        by giver: String = adminToken
    ) throws -> Minted {
        let list = scopes.split(separator: " ").map { "\"\($0)\"" }.joined(separator: ",")
        let answer = try send(
            "POST", "/v1/tenants/\(tenant)/tokens", as: giver,
            json: #"{"name":"test","scopes":[\#(list)]\#(members)}"#)
        #expect(answer.status == 201)
        return Minted(
            id: try #require(try answer.text("id")), token: try #require(try answer.text("token")))
    }

    /// A token with its id.
    struct Minted {
        let id: String
        let token: String
    }
}
