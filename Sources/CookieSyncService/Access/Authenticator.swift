// SPDX-License-Identifier: Apache-2.0

import CCrypto
import HTTPServer

/// Tells who sent a request, by its `Authorization` field alone.
struct Authenticator: Sendable {
    private let adminToken: [UInt8]?

    /// - Parameter adminToken: The token; nil leaves the service open.
    init(adminToken: [UInt8]?) {
        self.adminToken = adminToken
    }

    /// Whether requests need a token.
    var needsToken: Bool { adminToken != nil }

    /// Who sent the request.
    ///
    /// - Throws: `unauthenticated`, the same for every way of not having the token.
    func authenticate(_ head: HTTPRequest) throws(Problem) -> Principal {
        guard let adminToken else { return .anyone }
        guard let field = head.field("Authorization"), let token = Self.bearerToken(in: field),
            Self.areEqual(token, adminToken)
        else {
            throw Problem(.unauthenticated, "Send `Authorization: Bearer` with a valid token.")
        }
        return .admin
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
