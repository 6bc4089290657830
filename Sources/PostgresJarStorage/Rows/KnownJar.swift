// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// A jar as of one commit, with the stamp that the commit left on it.
struct KnownJar: Sendable {
    let snapshot: JarSnapshot
    let stamp: Int64

    var revision: Int64 { Int64(bitPattern: snapshot.state.revision.rawValue) }

    /// A jar that has no row.
    static let absent = KnownJar(snapshot: .empty, stamp: 0)
}

extension KnownJar {
    /// The jar in the rows of the statement `load`.
    init(loaded rows: QueryResult) throws(PostgresError) {
        var state = JarState.empty
        var stamp: Int64 = 0
        for row in 0..<rows.count where try rows.integer(row, 0) == 0 {
            stamp = try rows.integer(row, 2)
            state = JarState(
                revision: Revision(rawValue: UInt64(bitPattern: try rows.integer(row, 1))),
                createdAt: Timestamp(milliseconds: try rows.integer(row, 3)))
        }
        for row in 0..<rows.count {
            switch try rows.integer(row, 0) {
            case 0: break
            case 1:
                state.restore(
                    try rows.optionalOctets(row, 6).map { (octets) throws(PostgresError) in
                        try RowContent.settings(octets)
                    } ?? StoreSettings(), isPresent: rows.flag(row, 4),
                    of: try rows.store(row, 5))
            default: try Self.restore(row, of: rows, in: &state)
            }
        }
        self.init(snapshot: JarSnapshot(state), stamp: stamp)
    }

    private static func restore(
        _ row: Int, of rows: QueryResult, in state: inout JarState
    ) throws(PostgresError) {
        let store = try rows.store(row, 5)
        if let octets = rows.optionalOctets(row, 7) {
            let buried = try RowContent.tombstone(octets)
            state.restore(buried.tombstone, of: buried.identity, in: store)
        }
        if let octets = rows.optionalOctets(row, 6) {
            state.restore(try RowContent.cookie(octets), in: store)
        }
    }

    /// The jar after the changes in the rows of the statement `delta`; nil when they do not go on from this very state,
    /// or when there were more than `limit`.
    func advanced(by rows: QueryResult, limit: Int) throws(PostgresError) -> KnownJar? {
        guard rows.count > 0, rows.count < limit, try rows.integer(0, 0) == revision,
            try rows.integer(0, 1) == stamp
        else { return nil }
        var state = snapshot.state
        for row in 1..<max(1, rows.count) {
            let change = try rows.change(row, revisionColumn: 0, from: 2)
            guard change.revision == state.revision.next else { return nil }
            state.apply(change)
        }
        return KnownJar(
            snapshot: rows.count == 1 ? snapshot : JarSnapshot(state),
            stamp: try rows.integer(rows.count - 1, 1))
    }
}

/// What a change's row says; the raw value is the one that is stored.
enum ChangeRowKind: Int16 {
    case added = 1
    case changed = 2
    case removed = 3
    /// A removal of what was not there.
    case buried = 4
    case configured = 5
    case storeDeleted = 6
}

extension QueryResult {
    func store(_ row: Int, _ column: Int) throws(PostgresError) -> StoreID {
        guard let store = StoreID(octets(row, column)) else { throw .undecodable("a store") }
        return store
    }

    /// The change in a row whose columns from `first` on are time, kind, cause, store and content.
    func change(
        _ row: Int, revisionColumn: Int, from first: Int
    ) throws(PostgresError) -> Change {
        guard
            let kind = ChangeRowKind(
                rawValue: Int16(truncatingIfNeeded: try integer(row, first + 1))),
            let cause = ChangeCause(
                rawValue: UInt8(truncatingIfNeeded: try integer(row, first + 2)))
        else { throw .undecodable("a change") }
        return Change(
            revision: Revision(
                rawValue: UInt64(bitPattern: try integer(row, revisionColumn))),
            at: Timestamp(milliseconds: try integer(row, first)),
            store: try store(row, first + 3), cause: cause,
            content: try Self.content(octets(row, first + 4), of: kind))
    }

    private static func content(
        _ octets: [UInt8], of kind: ChangeRowKind
    ) throws(PostgresError) -> ChangeContent {
        switch kind {
        case .added: return .added(try RowContent.cookie(octets))
        case .changed: return .changed(try RowContent.cookie(octets))
        case .removed, .buried:
            let (identity, tombstone) = try RowContent.tombstone(octets)
            return .removed(identity, tombstone, isSilent: kind == .buried)
        case .configured: return .configured(try RowContent.settings(octets))
        case .storeDeleted: return .storeDeleted
        }
    }
}

extension Change {
    /// What stands in the change's row.
    var row: (kind: ChangeRowKind, content: [UInt8]) {
        switch content {
        case .added(let cookie): (.added, RowContent.encode(cookie))
        case .changed(let cookie): (.changed, RowContent.encode(cookie))
        case .removed(let identity, let tombstone, let isSilent):
            (isSilent ? .buried : .removed, RowContent.encode(tombstone, of: identity))
        case .configured(let settings): (.configured, RowContent.encode(settings))
        case .storeDeleted: (.storeDeleted, [])
        }
    }
}
