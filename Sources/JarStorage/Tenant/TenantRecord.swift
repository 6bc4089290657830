// SPDX-License-Identifier: Apache-2.0

/// The kinds of small records that a tenant has beside its jars.
///
/// The raw value is the one that is stored. A new kind gets a case here, a table in `TenantState` and its operations
/// in `TenantDraft`; engines need not know of it.
public enum TenantRecordKind: UInt8, Hashable, Sendable, CaseIterable {
    /// A host and its addresses (design section 2.5); its name is the host.
    case host = 1
    /// A standing sync (design section 2.4); its name is the rule's.
    case syncRule = 2
}

/// A record as an engine keeps it: octets under a kind and a name.
public struct TenantRecord: Hashable, Sendable {
    /// What it is.
    public let kind: TenantRecordKind
    /// What tells it from others of its kind.
    public let name: [UInt8]
    /// What it says, in the encoding of its kind, which begins with its version.
    public let body: [UInt8]

    /// A record made of its parts.
    public init(kind: TenantRecordKind, name: [UInt8], body: [UInt8]) {
        self.kind = kind
        self.name = name
        self.body = body
    }
}

/// What an engine has to do to one record.
public enum TenantChange: Hashable, Sendable {
    /// Keep this record, in place of one with its kind and name.
    case put(TenantRecord)
    /// Drop the record of that kind and name.
    case removed(TenantRecordKind, name: [UInt8])

    /// Whether it makes room.
    public var isRemoval: Bool {
        switch self {
        case .put: false
        case .removed: true
        }
    }
}

/// A record that no version of this program can have written.
public struct UndecodableRecord: Error, Hashable, Sendable {
    /// What it claims to be.
    public let kind: TenantRecordKind
}
