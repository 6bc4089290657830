// SPDX-License-Identifier: Apache-2.0

/// How much a store holds and how long.
///
/// The sizes of one cookie are the specification's and fixed; the counts are the user agent's
/// choice, by default Chromium's.
public struct CookieLimits: Hashable, Sendable {
    /// The most octets of name plus value (section 5.6).
    public static let nameAndValueOctets = 4096
    /// The most octets of an attribute's value (section 5.6).
    public static let attributeOctets = 1024

    /// The longest life of a cookie in seconds (section 5.5): 400 days.
    public var lifetimeSeconds: Int64 = 400 * 86_400
    /// The most cookies of one registrable domain.
    public var perDomain = 180
    /// How many of them an eviction leaves.
    public var perDomainAfterEviction = 150
    /// The most cookies of the store.
    public var perStore = 3300
    /// How many of them an eviction leaves.
    public var perStoreAfterEviction = 3000
    /// The most cookies of one partition and registrable domain.
    public var perPartition = 180
    /// The most octets (names and values) of one partition and registrable domain.
    public var partitionOctets = 10_240

    /// The default limits.
    public static let standard = CookieLimits()

    /// The default limits, to be changed one by one.
    public init() {}
}
