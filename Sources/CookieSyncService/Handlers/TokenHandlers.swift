// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Synchronization

extension CookieSyncService {
    /// `POST T/tokens`.
    func createToken(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try tenantWithTokens(call)
        let body = try call.decode(TokenRequestBody.self)
        let secret = TokenText.randomSecret()
        let record = try newToken(body, of: tenant, digest: hasher.digest(of: secret), call)
        var reply = later(call, &exchange)
        reply.note(record.id)
        let catalogue = recording(&reply)
        let (responder, id) = (reply, call.id)
        let grant = TokenGrant(giver: call.principal.record)
        MintToken(record: record, grant: grant).run(on: catalogue) { [self] result in
            switch result {
            case .success(.made):
                let body = TokenBody(
                    record, lastUse: 0, token: TokenText.compose(record.id, secret), now: clock())
                responder.send(.json(body, id, status: .created))
            case .success(.noTenant): responder.send(problem(.absent("tenant"), id))
            case .success(.notPermitted): responder.send(problem(.unauthenticated, id))
            case .success(.tooMany):
                responder.send(
                    problem(
                        Problem(
                            .quotaExceeded,
                            "A tenant has \(TokenGrant.maximumTokens) tokens at most; delete one."),
                        id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// `GET T/tokens`.
    func listTokens(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try tenantWithTokens(call)
        let (responder, id, now) = (later(call, &exchange), call.id, clock())
        catalogue.read { [self] result in
            switch result {
            case .success(let state) where state.tenant(tenant) == nil:
                responder.send(problem(.absent("tenant"), id))
            case .success(let state):
                let tokens = state.tokens(of: tenant).map { TokenBody($0, now: now) }
                responder.send(.json(TokenListBody(tokens: tokens), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// `GET T/tokens/{id}`.
    func getToken(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try tenantWithTokens(call)
        guard let token = TokenID(call.path.token) else { throw .absent("token") }
        let (responder, id, now) = (later(call, &exchange), call.id, clock())
        catalogue.read { [self] result in
            switch result {
            case .success(let state):
                guard let entry = state.token(token), entry.record.tenant == tenant else {
                    return responder.send(problem(.absent("token"), id))
                }
                responder.send(.json(TokenBody(entry, now: now), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// `DELETE T/tokens/{id}`.
    func deleteToken(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try tenantWithTokens(call)
        guard let token = TokenID(call.path.token) else { throw .absent("token") }
        var reply = later(call, &exchange)
        let catalogue = recording(&reply)
        let (responder, id) = (reply, call.id)
        RevokeToken(id: token, tenant: tenant, grant: TokenGrant(giver: call.principal.record)).run(
            on: catalogue, now: clock(),
            completion: { [self] result in
                switch result {
                case .success(.success):
                    feed.review()
                    settleWrites(of: tenant) { responder.send(.empty(.noContent, id)) }
                case .success(.failure(let refusal)): responder.send(problem(refusal, id))
                case .failure(let error):
                    responder.send(problem(Problem(ServiceError.storage(error)), id))
                }
            })
    }

    /// `POST T/tokens/{id}/rotate`.
    func rotateToken(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try tenantWithTokens(call)
        let body = try call.decode(RotateBody.self, orElse: RotateBody())
        guard let token = TokenID(call.path.token) else { throw .absent("token") }
        let secret = TokenText.randomSecret()
        let (grant, now) = (TokenGrant(giver: call.principal.record), clock())
        let useCase = RotateToken(
            id: token, tenant: tenant, grant: grant, digest: hasher.digest(of: secret),
            overlapUntil: now.adding(seconds: Int64(body.overlapSeconds)),
            expiresAt: grant.expiry(body.expiresInSeconds, now: now))
        var reply = later(call, &exchange)
        let catalogue = recording(&reply)
        let (responder, id) = (reply, call.id)
        useCase.run(on: catalogue, now: now) { [self] result in
            switch result {
            case .success(.success(let entry)):
                feed.review()
                let body = TokenBody(
                    entry.record, lastUse: entry.use.lastUse.load(ordering: .relaxed),
                    token: TokenText.compose(token, secret), now: now)
                settleWrites(of: tenant) { responder.send(.json(body, id)) }
            case .success(.failure(let refusal)): responder.send(problem(refusal, id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// The tenant that the path names, where there can be tokens.
    private func tenantWithTokens(_ call: Call) throws(Problem) -> TenantID {
        // What anyone could make must not be valid once the service is closed.
        guard needsToken else {
            throw Problem(.forbidden, "Tokens need an admin token: see `admin-token-file`.")
        }
        return try call.tenantID()
    }

    private func newToken(
        _ body: TokenRequestBody, of tenant: TenantID, digest: TokenDigest, _ call: Call
    ) throws(Problem) -> TokenRecord {
        let (grant, now) = (TokenGrant(giver: call.principal.record), clock())
        let record = TokenRecord(
            id: TokenText.randomID(), tenant: tenant, name: body.name,
            scopes: TokenScopes(body.scopes),
            jars: try names(body.jars, at: "/jars"), stores: try names(body.stores, at: "/stores"),
            requestsPerSecond: body.requestsPerSecond, createdAt: now,
            expiresAt: grant.expiry(body.expiresInSeconds, now: now), digest: digest)
        try grant.check(
            scopes: record.scopes, jars: record.jars, stores: record.stores,
            expiresAt: record.expiresAt)
        return record
    }

    private func names<Name: Identifier>(
        _ texts: [[UInt8]], at pointer: String
    ) throws(Problem) -> [Name] {
        var names: [Name] = []
        for (index, text) in texts.enumerated() {
            guard let name = Name(text) else { throw .invalid("\(pointer)/\(index)", Name.rule) }
            names.append(name)
        }
        return names
    }
}

extension TokenScopes {
    fileprivate init(_ words: [ScopeWord]) {
        self = []
        for (scope, name) in Self.named where words.contains(where: { $0.rawValue == name }) {
            insert(scope)
        }
    }
}

extension TokenBody {
    fileprivate init(_ entry: TokenEntry, now: Timestamp) {
        self.init(
            entry.record, lastUse: entry.use.lastUse.load(ordering: .relaxed), token: nil, now: now)
    }

    fileprivate init(_ record: TokenRecord, lastUse: Int64, token: SecretBytes?, now: Timestamp) {
        let overlap = record.overlap?.until
        self.init(
            id: record.id.bytes,
            prefix: TokenText.prefix.withUTF8Buffer(Array.init) + record.id.bytes, token: token,
            name: record.name, scopes: record.scopes.names, jars: record.jars.map(\.bytes),
            stores: record.stores.map(\.bytes), requestsPerSecond: record.requestsPerSecond,
            createdAt: record.createdAt.milliseconds, expiresAt: record.expiresAt.milliseconds,
            lastUsedAt: lastUse == 0 ? nil : lastUse,
            overlapUntil: overlap.flatMap { $0 > now ? $0.milliseconds : nil })
    }
}
