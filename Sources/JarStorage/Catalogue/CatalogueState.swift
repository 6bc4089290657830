// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// What this process knows of a token's use, over all states of the catalogue.
public final class TokenUse: Sendable {
    /// When it was used last, in milliseconds since the epoch; 0 for never.
    public let lastUse: Atomic<Int64>
    /// The state of its rate limit, whoever keeps it.
    public let rate = Atomic<Int64>(0)

    init(lastUse: Int64) { self.lastUse = Atomic(lastUse) }
}

/// A keyed hash of 128 bits, written and read without a lock.
///
/// Two writers at once could leave one word of each: then it matches neither, and is found again.
public final class SecretFingerprint: Sendable {
    private let first = Atomic<UInt64>(0)
    private let second = Atomic<UInt64>(0)

    init() {}

    /// Whether it is this hash; never before one was noted.
    public func matches(_ hash: (UInt64, UInt64)) -> Bool {
        let difference =
            first.load(ordering: .relaxed) ^ hash.0 | second.load(ordering: .relaxed) ^ hash.1
        return difference == 0 && (hash.0 | hash.1) != 0
    }

    /// Notes a hash.
    public func note(_ hash: (UInt64, UInt64)) {
        first.store(hash.0, ordering: .relaxed)
        second.store(hash.1, ordering: .relaxed)
    }
}

/// A token in a state of the catalogue.
public final class TokenEntry: Sendable {
    /// The token.
    public let record: TokenRecord
    /// Its use.
    public let use: TokenUse
    /// What is remembered of a secret that matched `record.digest`, so that the next request need not hash it.
    ///
    /// It is gone with the entry, when the record changes.
    public let verified = SecretFingerprint()
    /// The same for the secret of `record.overlap`.
    public let verifiedOverlap = SecretFingerprint()

    init(_ record: TokenRecord, _ use: TokenUse) {
        self.record = record
        self.use = use
    }
}

/// A tenant in a state of the catalogue.
public final class TenantEntry: Sendable {
    /// The tenant.
    public let record: CatalogueTenant
    /// The state of its rate limit, whoever keeps it.
    public let rate: Atomic<Int64>
    /// How many octets it was found to have last.
    public let bytes: Atomic<Int>

    init(_ record: CatalogueTenant, rate: Int64 = 0, bytes: Int = 0) {
        self.record = record
        self.rate = Atomic(rate)
        self.bytes = Atomic(bytes)
    }
}

/// All tenants that were made explicitly, and all tokens, as of a commit: immutable, and looked up without I/O.
public final class CatalogueState: Sendable {
    private let tenantEntries: [TenantID: TenantEntry]
    private let tokenEntries: [TokenID: TokenEntry]
    /// Whether any tenant has limits.
    public let hasLimits: Bool

    /// A catalogue with nothing in it.
    public convenience init() { self.init(tenants: [], tokens: []) }

    /// A catalogue with this in it.
    ///
    /// With each token comes the time of its last use, in milliseconds since the epoch.
    public convenience init(
        tenants: [CatalogueTenant], tokens: [(record: TokenRecord, lastUse: Int64)]
    ) {
        self.init(
            Dictionary(tenants.map { ($0.tenant, TenantEntry($0)) }) { $1 },
            Dictionary(
                tokens.map {
                    ($0.record.id, TokenEntry($0.record, TokenUse(lastUse: $0.lastUse)))
                }
            ) { $1 })
    }

    private init(_ tenants: [TenantID: TenantEntry], _ tokens: [TokenID: TokenEntry]) {
        tenantEntries = tenants
        tokenEntries = tokens
        hasLimits = tenants.values.contains { $0.record.limits != TenantLimits() }
    }

    /// The token with that id.
    ///
    /// - Complexity: O(1), without a heap allocation.
    public func token(_ id: TokenID) -> TokenEntry? { tokenEntries[id] }

    /// The tenant of that name, one that is being deleted included.
    ///
    /// - Complexity: O(1).
    public func tenant(_ tenant: TenantID) -> TenantEntry? { tenantEntries[tenant] }

    /// The tokens of a tenant, the oldest first.
    ///
    /// - Complexity: O(n) in all tokens.
    public func tokens(of tenant: TenantID) -> [TokenEntry] {
        tokenEntries.values.filter { $0.record.tenant == tenant }
            .sorted { ($0.record.createdAt, $0.record.id) < ($1.record.createdAt, $1.record.id) }
    }

    /// Every token.
    public var tokens: [TokenEntry] { Array(tokenEntries.values) }

    /// Every tenant, those that are being deleted included, by name.
    public var tenants: [CatalogueTenant] {
        tenantEntries.values.map(\.record).sorted { $0.tenant < $1.tenant }
    }

    /// The state with exactly this in it; what is known of the use of tokens that stay goes on.
    ///
    /// With each token comes the time of its last use, in milliseconds since the epoch.
    ///
    /// - Complexity: O(n) in everything that it holds.
    public func reloaded(
        tenants: [CatalogueTenant], tokens: [(record: TokenRecord, lastUse: Int64)]
    ) -> CatalogueState {
        let kept = Set(tokens.map(\.record.id))
        let gone = tokenEntries.values.map(\.record).filter { !kept.contains($0.id) }
        let left = Set(tenantEntries.keys).subtracting(tenants.map(\.tenant))
        let state = applying(
            gone.map { .removeToken($0.id, of: $0.tenant) } + left.map { .removeTenant($0) }
                + tenants.map { .putTenant($0) } + tokens.map { .putToken($0.record) })
        for token in tokens {
            state.token(token.record.id)?.use.lastUse.max(token.lastUse, ordering: .relaxed)
        }
        return state
    }

    /// The state after some changes.
    ///
    /// - Complexity: O(n) in everything that it holds.
    public func applying(_ changes: [CatalogueChange]) -> CatalogueState {
        var (tenants, tokens) = (tenantEntries, tokenEntries)
        for change in changes {
            switch change {
            case .putTenant(let record):
                let known = tenants[record.tenant]
                tenants[record.tenant] = TenantEntry(
                    record, rate: known?.rate.load(ordering: .relaxed) ?? 0,
                    bytes: known?.bytes.load(ordering: .relaxed) ?? 0)
            case .removeTenant(let tenant): tenants[tenant] = nil
            case .putToken(let record):
                let use = tokens[record.id]?.use ?? TokenUse(lastUse: 0)
                tokens[record.id] = TokenEntry(record, use)
            case .removeToken(let id, _): tokens[id] = nil
            }
        }
        return CatalogueState(tenants, tokens)
    }
}
