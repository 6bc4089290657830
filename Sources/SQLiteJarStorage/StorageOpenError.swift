// SPDX-License-Identifier: Apache-2.0

import Glibc
import JarStorage

/// Why the storage cannot start.
public enum StorageOpenError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Another process holds the data directory.
    case alreadyLocked(path: String)
    /// The data directory cannot be used; `errno` says why.
    case dataDirectory(path: String, errno: Int32, operation: String)
    /// The directory is a backup, or holds a restore that was cut short.
    case notServable(path: String, isBackup: Bool)
    /// The keys that were given do not go with the directory.
    case keys(path: String, KeyTrouble)
    /// The SQLite library was built without threads.
    case engine(version: String)
    /// The catalogue of tenants and tokens is damaged, or not one of this program's.
    case catalogue(path: String, problem: String)
    /// The catalogue cannot be read or written now.
    case catalogueFailed(path: String, problem: String)
    /// The key of the tokens' secrets is missing beside a catalogue, or is no file of 32 octets for its owner alone.
    case pepper(path: String, isMissing: Bool)
    /// A thread could not be started; `errno` says why.
    case thread(errno: Int32)

    /// The failure in one line.
    public var description: String {
        switch self {
        case .alreadyLocked(let path):
            "data directory \(path): another process is using it"
        case .dataDirectory(let path, let errno, let operation):
            "data directory \(path): \(operation): \(String(cString: strerror(errno)))"
        case .notServable(let path, isBackup: true):
            "data directory \(path): it is a backup; restore it into a fresh directory"
        case .notServable(let path, isBackup: false):
            "data directory \(path): a restore was cut short; empty it and restore again"
        case .keys(let path, let trouble): "data directory \(path): \(trouble)"
        case .engine(let version):
            "SQLite \(version) was built without threads"
        case .catalogue(let path, let problem), .catalogueFailed(let path, let problem):
            "\(path): \(problem)"
        case .pepper(let path, isMissing: true):
            "\(path) is missing, and without it no token is valid: put it back, or remove "
                + "catalogue.db in the data directory and make tenants and tokens anew"
        case .pepper(let path, isMissing: false):
            "\(path) must be a file of \(CataloguePepper.length) octets that only its owner can read"
        case .thread(let errno):
            "start writer thread: \(String(cString: strerror(errno)))"
        }
    }
}
