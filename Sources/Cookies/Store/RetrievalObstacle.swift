// SPDX-License-Identifier: Apache-2.0

/// Why a cookie is not sent with a request: a closed list, one case per condition of section 5.8.3
/// step 1.
///
/// The raw value is the reason's name in the API.
public enum RetrievalObstacle: String, Hashable, Sendable, CaseIterable {
    /// The host is not the cookie's, or not below its domain.
    case domainMismatch = "domain-mismatch"
    /// The path is not within the cookie's.
    case pathMismatch = "path-mismatch"
    /// A Secure cookie, and the connection is not secure.
    case secureRequired = "secure-required"
    /// An HttpOnly cookie, and a script asks.
    case httpOnly = "http-only"
    /// The SameSite enforcement keeps it from this cross-site request.
    case sameSite = "same-site"
    /// It belongs to another partition (CHIPS).
    case partitionMismatch = "partition-mismatch"
    /// Its time is over.
    case expired = "expired"
}

/// A set of obstacles; a cookie is sent exactly when it is empty.
public struct RetrievalObstacles: Hashable, Sendable {
    private var bits: UInt8 = 0

    /// No obstacle.
    public init() {}

    /// Whether the cookie is sent.
    public var isEmpty: Bool { bits == 0 }

    /// The obstacles in the order of their declaration.
    public var list: [RetrievalObstacle] { RetrievalObstacle.allCases.filter(contains) }

    /// Whether an obstacle is among them.
    public func contains(_ obstacle: RetrievalObstacle) -> Bool { bits & Self.bit(obstacle) != 0 }

    mutating func insert(_ obstacle: RetrievalObstacle, if condition: Bool) {
        if condition { bits |= Self.bit(obstacle) }
    }

    private static func bit(_ obstacle: RetrievalObstacle) -> UInt8 {
        switch obstacle {
        case .domainMismatch: 1
        case .pathMismatch: 2
        case .secureRequired: 4
        case .httpOnly: 8
        case .sameSite: 16
        case .partitionMismatch: 32
        case .expired: 64
        }
    }
}

/// A cookie of the store with what keeps it from a request.
public struct RetrievalVerdict: Sendable {
    /// The cookie.
    public let cookie: Cookie
    /// What keeps it from being sent; empty when it is sent.
    public let obstacles: RetrievalObstacles
}
