// SPDX-License-Identifier: Apache-2.0

/// The tenants that were made explicitly and all tokens, as an engine keeps them.
///
/// The hashes of tokens are worth something with the pepper that they were made with alone, which is no part of it.
public struct CatalogueImage: Sendable {
    /// A token, with when it was used last in milliseconds since the epoch.
    public struct Token: Sendable {
        /// The token.
        public let record: TokenRecord
        /// 0 for never.
        public let lastUse: Int64

        /// A token.
        public init(record: TokenRecord, lastUse: Int64) {
            self.record = record
            self.lastUse = lastUse
        }
    }

    /// The tenants, by name.
    public let tenants: [CatalogueTenant]
    /// The tokens, by id.
    public let tokens: [Token]

    /// Of a catalogue without anything.
    public static let empty = CatalogueImage(tenants: [], tokens: [])

    /// An image of tenants and tokens in any order.
    public init(tenants: [CatalogueTenant], tokens: [Token]) {
        self.tenants = tenants.sorted { $0.tenant < $1.tenant }
        self.tokens = tokens.sorted { $0.record.id < $1.record.id }
    }

    /// Whether there is nothing.
    public var isEmpty: Bool { tenants.isEmpty && tokens.isEmpty }

    /// What makes it, in an empty catalogue.
    public var changes: [CatalogueChange] {
        tenants.map { .putTenant($0) } + tokens.map { .putToken($0.record) }
    }
}
