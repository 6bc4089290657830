// SPDX-License-Identifier: Apache-2.0

import CCrypto
import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Synchronization

/// Tells who sent a request, by its `Authorization` field alone.
struct Authenticator: Sendable {
    private let adminToken: SecretBytes?
    private let catalogue: any TenantCatalogue
    private let hasher: TokenHasher
    private let nobody: TokenEntry?
    private let failures: BurstCounter
    private let reportBurst: @Sendable (HTTPRequest) -> Void

    /// - Parameters:
    ///   - adminToken: The admin token; nil leaves the service open.
    ///   - catalogue: Where the tokens of tenants are.
    ///   - hasher: What checks their secrets.
    ///   - failures: Who has failed too often, by address; of IPv6 the /64 counts. Valid tokens are never refused, however
    ///     many others behind the same address fail.
    ///   - reportBurst: Hears of the first request of an address in a minute that is one too many.
    init(
        adminToken: [UInt8]?, catalogue: any TenantCatalogue, hasher: TokenHasher,
        failures: BurstCounter, reportBurst: @escaping @Sendable (HTTPRequest) -> Void
    ) {
        self.adminToken = adminToken.map(SecretBytes.init)
        self.catalogue = catalogue
        self.hasher = hasher
        nobody = hasher.nobody()
        self.failures = failures
        self.reportBurst = reportBurst
    }

    /// Whether requests need a token.
    var needsToken: Bool { adminToken != nil }

    /// Who sent the request.
    ///
    /// - Throws: `unauthenticated`, the same for every way of not having a token; `too-many-requests` instead, from the
    ///   limit on, for an address whose tokens were wrong too often; `unavailable` for a tenant's token while it cannot be
    ///   told whether it is valid.
    func authenticate(_ head: HTTPRequest, now: Timestamp) throws(Problem) -> Principal {
        guard let adminToken else { return .anyone }
        guard let field = head.field("Authorization") else { throw Problem.unauthenticated }
        // There is no second one: the parser has refused that.
        if let token = Self.bearerToken(in: field) {
            if let entry = try tokenEntry(token, now) {
                note(entry.use.lastUse, now)
                return .token(entry)
            }
            if Self.areEqual(token, adminToken.bytes) { return .admin }
        }
        switch failures.note(head.peerNetwork) {
        case .within: throw Problem.unauthenticated
        case .begins: reportBurst(head)
        case .goesOn: break
        }
        var problem = Problem(
            .tooManyRequests, "Too many tokens from this address were not valid.")
        problem.retryAfter = BurstCounter.windowSeconds
        throw problem
    }

    /// Notes a use, unless it is noted already: loops would wait for each other's memory.
    private func note(_ lastUse: borrowing Atomic<Int64>, _ now: Timestamp) {
        guard lastUse.load(ordering: .relaxed) != now.milliseconds else { return }
        lastUse.store(now.milliseconds, ordering: .relaxed)
    }

    /// The entry of a tenant's token that is valid now.
    private func tokenEntry(
        _ text: UnsafeBufferPointer<UInt8>, _ now: Timestamp
    ) throws(Problem) -> TokenEntry? {
        guard let parts = TokenText.parse(text) else { return nil }
        guard let state = catalogue.currentState else {
            throw Problem(.unavailable, "Tokens cannot be checked now; try again shortly.")
        }
        // For an id that there is not, nobody's entry takes the same way, so that the time does not tell.
        let found = state.token(parts.id)
        guard let entry = found ?? nobody else { return nil }
        let isRight = hasher.matches(entry, parts.secret, now: now.milliseconds)
        return isRight && now < entry.record.expiresAt ? found : nil
    }

    /// What follows the scheme `Bearer`, in any case of its letters, and at least one space (RFC 6750 section 2.1).
    private static func bearerToken(
        in field: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8>? {
        let scheme = 6
        guard field.count > scheme, field.slice(0..<scheme).isNamed("bearer"),
            field[scheme].isBlank
        else { return nil }
        return field.slice(scheme..<field.count).trimmed
    }

    /// Compares in a time that depends on the lengths only.
    private static func areEqual(
        _ candidate: UnsafeBufferPointer<UInt8>, _ secret: [UInt8]
    ) -> Bool {
        guard candidate.count == secret.count, !secret.isEmpty else { return false }
        return secret.withUnsafeBytes {
            CRYPTO_memcmp(candidate.baseAddress, $0.baseAddress, $0.count) == 0
        }
    }
}

extension Problem {
    /// The answer to every way of not having a valid token.
    static var unauthenticated: Problem {
        Problem(.unauthenticated, "Send `Authorization: Bearer` with a valid token.")
    }
}
