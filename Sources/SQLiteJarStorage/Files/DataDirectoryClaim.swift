// SPDX-License-Identifier: Apache-2.0

/// A data directory that this process has taken without serving tenants out of it: a node of a fleet keeps its audit log
/// there.
public final class DataDirectoryClaim: Sendable {
    private let lock: DirectoryLock

    /// Takes the directory, making it if it is not there.
    ///
    /// - Throws: `StorageOpenError` when another process has it, or it cannot be used.
    public init(_ path: String) throws(StorageOpenError) {
        lock = try DataDirectory(path: path).take()
    }
}
