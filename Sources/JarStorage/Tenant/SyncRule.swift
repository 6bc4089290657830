// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// The name of a standing sync.
public struct SyncRuleID: Identifier {
    /// The name's octets.
    public let bytes: [UInt8]

    /// The rule with this name, or nil when the name breaks the rule of names.
    public init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard IdentifierOctets.isName(bytes, limit: 64) else { return nil }
        self.bytes = Array(bytes)
    }

    /// What every rule's name keeps to.
    public static var rule: String {
        "A rule's name is 1 to 64 octets of A-Z, a-z, 0-9 and '._~@:+-', and is not '.' or '..'."
    }
}

/// Which stores are meant: one by its name, or all whose names begin alike.
///
/// Written as the name, or as the beginning and a `*`, which no name can hold; `*` alone means every store.
public struct StorePattern: Hashable, Sendable {
    /// What a name has to begin with, or to be.
    private let stem: [UInt8]
    /// Whether anything may follow.
    private let isPrefix: Bool

    /// The pattern that this text spells; nil when it spells none.
    public init?(_ text: [UInt8]) {
        isPrefix = text.last == UInt8(ascii: "*")
        stem = isPrefix ? text.dropLast() : text
        // What may begin a name is what may be one, and nothing at all.
        guard
            isPrefix && stem.isEmpty
                || (stem + Self.any).withUnsafeBufferPointer({
                    IdentifierOctets.isName($0, limit: 64 + 1)
                })
        else { return nil }
        guard isPrefix || StoreID(stem) != nil else { return nil }
    }

    /// An octet that keeps the beginning of a name from being `.` or `..`.
    private static let any = [UInt8(ascii: "a")]

    /// The pattern as it is written.
    public var text: [UInt8] { isPrefix ? stem + [UInt8(ascii: "*")] : stem }

    /// Whether a store is meant.
    public func matches(_ store: StoreID) -> Bool {
        isPrefix ? store.bytes.starts(with: stem) : store.bytes == stem
    }

    /// What every pattern keeps to.
    public static var rule: String {
        "A pattern is a store's name, or its beginning and a '*'."
    }
}

/// A standing sync of stores of every jar of a tenant (design section 2.4).
public struct SyncRule: Hashable, Sendable {
    /// The most rules of one tenant: each write asks all of them.
    public static let maximumRules = 32
    /// The most domains, and the most names, of one rule's filter.
    public static let maximumFilterItems = 100

    /// Its name.
    public let name: SyncRuleID
    /// Where from.
    public var from: StorePattern
    /// Where to.
    public var to: StoreID
    /// How.
    public var mode: SyncMode
    /// Which cookies.
    public var filter: SyncFilter
    /// How far it has been applied to the jars that were there before it; nil when that was not asked for.
    public var backfill: SyncBackfill?

    /// A rule made of its parts.
    public init(
        name: SyncRuleID, from: StorePattern, to: StoreID, mode: SyncMode = .merge,
        filter: SyncFilter = SyncFilter(), backfill: SyncBackfill? = nil
    ) {
        self.name = name
        self.from = from
        self.to = to
        self.mode = mode
        self.filter = filter
        self.backfill = backfill
    }

    /// Whether it is still to be applied to jars from before it.
    public var isUnfinished: Bool { backfill.map { $0.finishedAt == nil } ?? false }

    /// About how many bytes of memory it takes.
    var footprint: Int {
        512 + (filter.domains + filter.names).reduce(0) { $0 + 48 + $1.count }
    }
}

/// How far a rule has been applied to the jars that were there before it.
public struct SyncBackfill: Hashable, Sendable {
    /// When it was asked for.
    public let startedAt: Timestamp
    /// When the last jar was done; nil as long as there are more.
    public var finishedAt: Timestamp?
    /// The last jar that was done; the next one comes after it.
    public var lastJar: JarID?
    /// How many jars were looked at.
    public var jarCount: UInt64
    /// How many of them were changed.
    public var changedCount: UInt64

    /// A run that has not begun.
    public init(startedAt: Timestamp) {
        self.startedAt = startedAt
        jarCount = 0
        changedCount = 0
    }
}
