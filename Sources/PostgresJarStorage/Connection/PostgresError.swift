// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A failure of the engine or of the way to it.
///
/// It keeps the code and what was being done; never the server's text, which may quote what was bound.
struct PostgresError: Error, Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// The server said so; the SQLSTATE is in `state`.
        case refused
        /// The connection is gone, or an answer did not come in time.
        case lost
        /// What came back is not what this program writes.
        case undecodable
    }

    let kind: Kind
    /// The five characters of the SQLSTATE; empty where there is none.
    let state: String
    /// What was being done, for the log.
    let operation: String

    static func refused(_ state: String, _ operation: String) -> PostgresError {
        PostgresError(kind: .refused, state: state, operation: operation)
    }

    static func lost(_ operation: String) -> PostgresError {
        PostgresError(kind: .lost, state: "", operation: operation)
    }

    static func undecodable(_ what: String) -> PostgresError {
        PostgresError(kind: .undecodable, state: "", operation: "read \(what)")
    }

    /// Whether the connection is of no more use: it is gone, the server is going, or it is not the primary any more.
    var endsConnection: Bool {
        switch kind {
        case .lost: true
        case .undecodable: false
        case .refused:
            state.hasPrefix("57P") || state.hasPrefix("08") || state.hasPrefix("28")
                || state == Self.readOnlyTransaction || state == Self.tooManyConnections
                || state == "25P03"
        }
    }

    /// Whether it concerns one jar of several that share a transaction: alone, each of the others may well succeed.
    var mayBeOfOneJar: Bool {
        guard kind == .refused else { return false }
        return ["55P03", "57014", "54", "22", "23", "XX"].contains { state.hasPrefix($0) }
    }

    /// Whether two transactions stood in each other's way, so that the same again may well succeed.
    var isConflict: Bool { ["40P01", "40001"].contains(state) }

    /// What the caller of the storage is told.
    var storageError: JarStorageError {
        switch kind {
        case .lost: return .unavailable
        case .undecodable: return .corrupt
        case .refused: break
        }
        switch state {
        case Self.readOnlyTransaction: return .readOnly
        case "53100": return .full
        case "55P03", "57014", "40P01", "40001", "53200": return .busy
        case "XX001", "XX002": return .corrupt
        default: return .unavailable
        }
    }

    /// The word that readiness shows.
    var faultCode: String {
        switch storageError {
        case .readOnly: "read-only"
        case .full: "storage-full"
        default: "storage-unreachable"
        }
    }

    private static let readOnlyTransaction = "25006"
    private static let tooManyConnections = "53300"
}
