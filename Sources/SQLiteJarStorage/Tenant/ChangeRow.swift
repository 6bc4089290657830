// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What a row of the log says; the raw value is the one that is stored.
enum ChangeRowKind: Int64 {
    /// The row names a jar.
    case jar = 0
    case added = 1
    case changed = 2
    case removed = 3
    /// A removal of what was not there.
    case buried = 4
    case configured = 5
    case storeDeleted = 6
}

/// The rows of `change`: how a change is bound, and read back.
enum ChangeRow {
    private static let columns =
        "sequence, jar, revision, at, present, kind, cause, store, settings, "
        + IdentityColumns.names + ", " + ContentColumns.names

    private static let lastParameter: Int32 = 27
    private static let parameters =
        (1...lastParameter).map { "?\($0)" }.joined(separator: ", ")

    static let insertion = "INSERT INTO change (\(columns)) VALUES (\(parameters))"
    static let selection = "SELECT \(columns) FROM change WHERE sequence = ?1"
    /// At most ?2 rows beyond the sequence ?1.
    static let scan =
        "SELECT \(columns) FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2"

    /// Where the groups of columns start, counted from 0.
    private static let settings: Int32 = 8
    private static let identity: Int32 = 9
    static let content: Int32 = 14
    private static let tombstone = content + ContentColumns.tombstoneOffset

    /// Where a row stands.
    struct Position {
        let sequence: Int64
        let jar: Int64
        /// Whether the jar exists for clients after the write that the row is part of.
        let isPresent: Bool
    }

    /// Binds the row that names a jar.
    static func bind(
        naming jar: JarID, at: Timestamp, _ position: Position, to statement: Statement
    ) throws(SQLiteError) {
        try bind(position, revision: 0, at: at, kind: .jar, cause: 0, to: statement)
        try statement.bind(8, jar.bytes)
        try statement.bindNothing(settings + 1...lastParameter)
    }

    /// Binds the row of a change that brings no cookie: every parameter, as the statement keeps what was bound before.
    static func bind(
        _ change: Change, _ position: Position, to statement: Statement
    ) throws(SQLiteError) {
        let kind: ChangeRowKind
        switch change.content {
        case .added, .changed: preconditionFailure("a cookie has a row of its own kind")
        case .removed(let removed, let tombstone, let isSilent):
            kind = isSilent ? .buried : .removed
            try statement.bindNothing(settings + 1...settings + 1)
            try IdentityColumns.bind(removed, from: identity + 1, to: statement)
            try statement.bindNothing(content + 1...Self.tombstone)
            try ContentColumns.bind(tombstone, from: content + 1, to: statement)
        case .configured(let settings):
            kind = .configured
            try statement.bind(Self.settings + 1, StoredSettings.encode(settings))
            try statement.bindNothing(identity + 1...lastParameter)
        case .storeDeleted:
            kind = .storeDeleted
            try statement.bindNothing(settings + 1...lastParameter)
        }
        try bind(
            position, revision: change.revision.rawValue, at: change.at, kind: kind,
            cause: Int64(change.cause.rawValue), to: statement)
        try statement.bind(8, change.store.bytes)
    }

    /// Binds the first seven parameters of every row.
    static func bind(
        _ position: Position, revision: UInt64, at: Timestamp, kind: ChangeRowKind,
        cause: Int64, to statement: Statement
    ) throws(SQLiteError) {
        try statement.bind(1, position.sequence)
        try statement.bind(2, position.jar)
        try statement.bind(3, Int64(bitPattern: revision))
        try statement.bind(4, at.milliseconds)
        try statement.bind(5, position.isPresent ? 1 : 0)
        try statement.bind(6, kind.rawValue)
        try statement.bind(7, cause)
    }

    /// The change that the statement's row holds.
    static func change(
        in statement: borrowing Statement, _ sealing: JarSealing
    ) throws(SQLiteError) -> Change {
        guard let kind = ChangeRowKind(rawValue: try statement.integer(5)),
            let cause = ChangeCause(rawValue: try statement.octet(6)),
            let store = StoreID(try statement.bytes(7))
        else { throw .undecodable("a change") }
        return Change(
            revision: Revision(rawValue: UInt64(bitPattern: try statement.integer(2))),
            at: Timestamp(milliseconds: try statement.integer(3)), store: store, cause: cause,
            content: try content(of: kind, in: store, sealing, statement))
    }

    /// Whether rows of that kind hold a value.
    static func holdsValue(_ kind: Int64) -> Bool {
        kind == ChangeRowKind.added.rawValue || kind == ChangeRowKind.changed.rawValue
    }

    /// The cookie in a row that holds one.
    static func cookie(
        in statement: borrowing Statement, of store: StoreID, _ sealing: JarSealing
    ) throws(SQLiteError) -> Cookie {
        try ContentColumns.cookie(
            try IdentityColumns.read(from: identity, in: statement), in: store, sealing,
            from: content, in: statement)
    }

    private static func content(
        of kind: ChangeRowKind, in store: StoreID, _ sealing: JarSealing,
        _ statement: borrowing Statement
    ) throws(SQLiteError) -> ChangeContent {
        switch kind {
        case .jar: throw .undecodable("a change")
        case .configured:
            return .configured(try StoredSettings.decode(try statement.bytes(settings)))
        case .storeDeleted: return .storeDeleted
        case .added, .changed:
            let cookie = try cookie(in: statement, of: store, sealing)
            return kind == .added ? .added(cookie) : .changed(cookie)
        case .removed, .buried:
            guard let tombstone = try ContentColumns.tombstone(from: content, in: statement) else {
                throw .undecodable("a removal")
            }
            return .removed(
                try IdentityColumns.read(from: identity, in: statement), tombstone,
                isSilent: kind == .buried)
        }
    }
}

extension Statement {
    /// A column that holds an enumeration's raw value.
    func octet(_ column: Int32) throws(SQLiteError) -> UInt8 {
        guard let octet = UInt8(exactly: try integer(column)) else {
            throw .undecodable("an octet")
        }
        return octet
    }
}
