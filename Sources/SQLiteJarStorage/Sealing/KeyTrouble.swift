// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why the keys that were given and the data directory do not go together.
public enum KeyTrouble: Error, Hashable, Sendable, CustomStringConvertible {
    /// The data are sealed, and no key was given.
    case missing
    /// The data were sealed with another key.
    case wrong
    /// A rotation is not complete, and the key before was not given.
    case previousMissing
    /// A rotation to yet another key is not complete.
    case rotating
    /// The file that says which key it is was not written by this program, or was changed.
    case damaged
    /// libcrypto refused.
    case engine
    /// A system call failed; `errno` says why.
    case file(errno: Int32, operation: String)

    /// The trouble in one line.
    public var description: String {
        switch self {
        case .missing: "the data are encrypted, and no key was given; set key-file"
        case .wrong: "the data are encrypted with another key than that of key-file"
        case .previousMissing:
            "the change to this key is not complete; set old-key-file to the key before"
        case .rotating:
            "a change to another key is not complete; complete it with that key as key-file"
        case .damaged: "the file KEYS is damaged; take it from a backup"
        case .engine: "libcrypto refused"
        case .file(let errno, let operation): "\(operation): \(String(cString: strerror(errno)))"
        }
    }
}
