// SPDX-License-Identifier: Apache-2.0

/// All that an engine keeps of a jar, so that another engine can keep the same.
///
/// A follower's cursor means the same wherever the image is: the revisions and what the feed still has are part of it.
public struct JarImage: Sendable {
    /// What it holds, its tombstones and revision included.
    public let state: JarState
    /// The newest revision whose change is not kept any more.
    public let floor: Revision
    /// Every change after that, in order.
    public let changes: [Change]

    /// An image made of its parts.
    public init(state: JarState, floor: Revision, changes: [Change]) {
        self.state = state
        self.floor = floor
        self.changes = changes
    }
}

/// A tenant's records as they are kept.
public struct RecordImage: Hashable, Sendable {
    /// How many changes they have seen; zero when there never were any.
    public let revision: Revision
    /// The records, ordered by kind and name.
    public let records: [TenantRecord]

    /// An image of records in any order.
    public init(revision: Revision, records: [TenantRecord]) {
        self.revision = revision
        self.records = records.sorted {
            $0.kind == $1.kind
                ? $0.name.lexicographicallyPrecedes($1.name) : $0.kind.rawValue < $1.kind.rawValue
        }
    }
}
