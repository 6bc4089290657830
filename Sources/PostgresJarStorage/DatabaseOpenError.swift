// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why the storage cannot start.
public enum DatabaseOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No server that takes writes can be reached; the SQLSTATE where one answered.
    case unreachable(state: String)
    /// The schema is not there, or of an older version, and the role may not change it.
    case schemaMissing
    /// A newer program has changed the schema.
    case schemaTooNew
    /// A thread could not be started; `errno` says why.
    case thread(errno: Int32)

    /// The failure in one line.
    public var description: String {
        switch self {
        case .unreachable(let state):
            "no PostgreSQL server that takes writes can be reached"
                + (state.isEmpty ? "" : " (SQLSTATE \(state))")
        case .schemaMissing:
            "the schema is missing or older; run `cookiesync migrate` with a role that may change it"
        case .schemaTooNew: "a newer version of cookiesync has changed the schema"
        case .thread(let errno): "start a thread: \(String(cString: strerror(errno)))"
        }
    }
}
