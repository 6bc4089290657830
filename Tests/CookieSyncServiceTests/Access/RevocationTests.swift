// SPDX-License-Identifier: Apache-2.0

import Cookies
import Dispatch
import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("What is under way when a token is revoked")
struct RevocationTests {
    private let storage = MemoryJarStorage()
    private let address: JarAddress
    private let tenant: TenantID

    init() throws {
        tenant = try #require(TenantID("acme".utf8))
        address = JarAddress(tenant: tenant, jar: try #require(JarID("j".utf8)))
    }

    /// Has the storage write something that takes its time, until the semaphore is signalled.
    private func hold() async -> DispatchSemaphore {
        let (isWriting, goOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        storage.write(
            address,
            operation: { _ in
                isWriting.signal()
                goOn.wait()
            }, completion: { _ in })
        await isWriting.reached()
        return goOn
    }

    /// The storage as a call of a token sees it that was revoked meanwhile.
    private func refused() -> ConditionalStorage {
        ConditionalStorage(storage, nil, id: RequestIDSource().next(on: 0)) { .notPermitted }
    }

    @Test("a write that waited in the queue is not done")
    func queuedWrite() async {
        let isRefused = await withCheckedContinuation { done in
            refused().write(
                address,
                operation: { _ in Issue.record("the operation was run") },
                completion: { result in
                    if case .failure(.notPermitted) = result { return done.resume(returning: true) }
                    done.resume(returning: false)
                })
        }
        #expect(isRefused)
    }

    @Test("nor is one with a key, whose answer would be kept")
    func queuedOnce() async throws {
        let live = try LiveService.secured(storage: storage)
        let token = try live.mint("write")
        let goOn = await hold()
        let body = #"{"url":"https://a.example/","headers":[["Set-Cookie","a=1"]]}"#
        let clients = try ["", "Idempotency-Key: k\r\n"].map { field in
            let client = try RawHTTPClient(port: live.port)
            try client.send(
                "POST /v1/tenants/acme/jars/j/stores/s/ingest HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "\(field)Authorization: Bearer \(token.token)\r\n\r\n\(body)")
            return client
        }
        // On the one loop of the service, what is answered later has been let in before.
        #expect(try live.send("GET", "/healthz").status == 200)
        let revocation = try RawHTTPClient(port: live.port)
        try revocation.send(
            "DELETE /v1/tenants/acme/tokens/\(token.id) HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(LiveService.adminToken)\r\n\r\n")
        #expect(
            try await eventually {
                try live.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 401
            })
        goOn.signal()
        #expect(try clients.map { try $0.readResponse().status } == [401, 401])
        #expect(try revocation.readResponse().status == 204)
        let reader = try live.mint("read")
        #expect(
            try live.send("GET", "/v1/tenants/acme/jars", as: reader.token).text
                == #"{"jars":[],"next_cursor":null}"#)
    }

    @Test("nor is a change of the tenant's records")
    func queuedRecords() async {
        let isRefused = await withCheckedContinuation { done in
            refused().writeTenant(
                tenant,
                operation: { _ in Issue.record("the operation was run") },
                completion: { result in
                    if case .failure(.notPermitted) = result { return done.resume(returning: true) }
                    done.resume(returning: false)
                })
        }
        #expect(isRefused)
    }

    @Test(
        "the revocation is acknowledged when what was let in before it is done",
        arguments: ["delete", "rotate"])
    func acknowledgement(_ way: String) async throws {
        let live = try LiveService.secured(storage: storage)
        let token = try live.mint("write")
        let goOn = await hold()
        let target = "/v1/tenants/acme/tokens/\(token.id)"
        let (method, path) = way == "delete" ? ("DELETE", target) : ("POST", "\(target)/rotate")
        let client = try RawHTTPClient(port: live.port)
        try client.send(
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + "Content-Length: 21\r\nAuthorization: Bearer \(LiveService.adminToken)\r\n\r\n"
                + #"{"overlap_seconds":0}"#)
        // It is revoked, what the token sends is refused, and all the same nobody was told yet.
        #expect(
            try await eventually {
                try live.send("GET", "/v1/tenants/acme/jars", as: token.token).status == 401
            })
        #expect(throws: (any Error).self) { try client.readResponse(milliseconds: 50) }
        goOn.signal()
        #expect([200, 204].contains(try client.readResponse().status))
    }

    @Test(
        "a token that was valid still is, unless it has ended, was revoked, or has another secret")
    func held() throws {
        let hasher = TokenHasher(pepper: .random())
        let digests = (0..<3).map { _ in hasher.digest(of: TokenText.randomSecret()) }
        func record(_ digest: TokenDigest, _ overlap: TokenRecord.Overlap? = nil) -> TokenRecord {
            TokenRecord(
                id: id, tenant: tenant, name: [], scopes: .read, createdAt: .init(seconds: 0),
                expiresAt: .init(seconds: 100), digest: digest, overlap: overlap)
        }
        let id = TokenText.randomID()
        let rotated = record(digests[1], .init(digest: digests[0], until: .init(seconds: 50)))
        let state = CatalogueState(tenants: [], tokens: [(rotated, 0)])
        for (digest, second, isHeld) in [
            (1, 99, true), (1, 100, false), (0, 49, true), (0, 50, false), (2, 49, false),
        ] {
            let now = Timestamp(seconds: Int64(second))
            #expect(state.holds(record(digests[digest]), now: now) == isHeld, "\(digest) \(second)")
        }
        #expect(!CatalogueState().holds(rotated, now: .init(seconds: 1)))
    }

    @Test("a token of an admin that is revoked makes, changes and revokes no other in passing")
    func management() async throws {
        let catalogue = MemoryTenantCatalogue()
        let hasher = TokenHasher(pepper: catalogue.pepper)
        func record() -> TokenRecord {
            TokenRecord(
                id: TokenText.randomID(), tenant: tenant, name: [], scopes: .admin,
                createdAt: .init(seconds: 0), expiresAt: .init(seconds: 1000),
                digest: hasher.digest(of: TokenText.randomSecret()))
        }
        let (giver, other) = (record(), record())
        await catalogue.apply(
            .putTenant(CatalogueTenant(tenant: tenant, createdAt: .init(seconds: 0))),
            .putToken(other))
        let (grant, now) = (TokenGrant(giver: giver), Timestamp(seconds: 1))
        await withCheckedContinuation { done in
            MintToken(record: record(), grant: grant).run(on: catalogue) { result in
                if case .success(.notPermitted) = result {} else { Issue.record("made") }
                done.resume()
            }
        }
        await withCheckedContinuation { done in
            RotateToken(
                id: other.id, tenant: tenant, grant: grant, digest: giver.digest,
                overlapUntil: now, expiresAt: giver.expiresAt
            ).run(on: catalogue, now: now) { result in
                if case .success(.failure(let problem)) = result {
                    #expect(problem.kind == .unauthenticated)
                } else {
                    Issue.record("rotated")
                }
                done.resume()
            }
        }
        await withCheckedContinuation { done in
            RevokeToken(id: other.id, tenant: tenant, grant: grant).run(on: catalogue, now: now) {
                if case .success(.failure(let problem)) = $0 {
                    #expect(problem.kind == .unauthenticated)
                } else {
                    Issue.record("revoked")
                }
                done.resume()
            }
        }
        #expect(catalogue.state.tokens.map(\.record) == [other])
    }
}

extension MemoryTenantCatalogue {
    fileprivate func apply(_ changes: CatalogueChange...) async {
        await withCheckedContinuation { done in
            write(
                operation: { draft in for change in changes { draft.apply(change) } },
                completion: { (_: Result<Void, JarStorageError>) in done.resume() })
        }
    }
}

extension DispatchSemaphore {
    /// Waits on a thread that nobody else needs.
    fileprivate func reached() async {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                self.wait()
                done.resume()
            }
        }
    }
}
