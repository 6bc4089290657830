// SPDX-License-Identifier: Apache-2.0

/// What a token may do within its tenant.
public struct TokenScopes: OptionSet, Hashable, Sendable {
    /// One bit per scope, as it is kept.
    public let rawValue: UInt8

    /// The scopes with these bits; those that no scope has are kept and mean nothing.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Read what is there; the values of cookies need `values` as well.
    public static let read = TokenScopes(rawValue: 1 << 0)
    /// Store, change and delete.
    public static let write = TokenScopes(rawValue: 1 << 1)
    /// See the values of cookies, in whatever else it may read.
    public static let values = TokenScopes(rawValue: 1 << 2)
    /// Follow the changes of a jar.
    public static let feed = TokenScopes(rawValue: 1 << 3)
    /// Manage the tenant's tokens, hosts and sync rules.
    public static let admin = TokenScopes(rawValue: 1 << 4)
    /// Read the metrics of the whole service.
    public static let metrics = TokenScopes(rawValue: 1 << 5)

    /// Every scope with its name, in the order in which they are listed.
    public static let named: [(scope: TokenScopes, name: String)] = [
        (.read, "read"), (.write, "write"), (.values, "values"), (.feed, "feed"),
        (.admin, "admin"), (.metrics, "metrics"),
    ]

    /// The names of the scopes that are there.
    public var names: [String] { Self.named.filter { contains($0.scope) }.map(\.name) }
}
