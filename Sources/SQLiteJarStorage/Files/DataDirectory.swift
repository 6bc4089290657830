// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import JarStorage

/// The data directory, with one folder per tenant under `tenants/`.
struct DataDirectory: Sendable {
    /// Where it is.
    let path: String

    /// Makes the directory, if it is not there, and what is missing above it, for its owner alone, and takes it for this
    /// process.
    ///
    /// Neither a backup nor half a restore is taken.
    func take() throws(StorageOpenError) -> DirectoryLock {
        for name in [BackupManifest.fileName, BackupRestore.marker]
        where FileSystem.exists("\(path)/\(name)") {
            throw .notServable(path: path, isBackup: name == BackupManifest.fileName)
        }
        do {
            try FileSystem.makeDirectories(path)
            let lock = try DirectoryLock(try FileSystem.open("\(path)/LOCK"))
            try FileSystem.makeDirectory(tenantsPath)
            // What a deletion that was cut short has left.
            for name in try FileSystem.entries(of: tenantsPath) where name.hasPrefix(".old-") {
                try FileSystem.removeDirectory("\(tenantsPath)/\(name)")
            }
            try FileSystem.synchronize(path)
            return lock
        } catch {
            guard error.code != EWOULDBLOCK else { throw .alreadyLocked(path: path) }
            throw .dataDirectory(path: path, errno: error.code, operation: error.operation)
        }
    }

    /// The folder of a tenant.
    ///
    /// Its name is one that no file system reads in another way.
    func folder(of tenant: TenantID) -> TenantFolder {
        TenantFolder(parent: tenantsPath, name: tenant.description)
    }

    /// Where the catalogue of tenants and tokens is.
    var cataloguePath: String { "\(path)/catalogue.db" }

    /// Where the key of the tokens' secrets is.
    var pepperPath: String { "\(path)/pepper" }

    /// Where the folders of the tenants are.
    var tenantsPath: String { "\(path)/tenants" }

    /// The tenants that have a folder, by name.
    func tenants() throws(FileError) -> [TenantID] {
        try FileSystem.entries(of: tenantsPath).compactMap { TenantID($0.utf8) }.sorted()
    }
}

/// The right to use a data directory, which one process at a time has: a lock on its file `LOCK`, which the kernel
/// takes back when the process ends, however it does.
struct DirectoryLock: ~Copyable, Sendable {
    private let file: FileDescriptor

    /// Takes the lock.
    ///
    /// A second process is refused at once.
    fileprivate init(_ file: consuming FileDescriptor) throws(FileError) {
        guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else {
            throw FileSystem.failure("lock directory")
        }
        self.file = file
    }

    deinit {
        // Closing is not enough while a child that is about to be executed has a copy of the descriptor.
        flock(file.number, LOCK_UN)
    }
}

/// The folder of one tenant.
struct TenantFolder: Sendable {
    let parent: String
    let name: String

    var path: String { "\(parent)/\(name)" }
    var databasePath: String { "\(path)/jar.sqlite" }
    var highWaterPath: String { "\(path)/high-water" }

    /// Where the database stays as it was before a migration from that version.
    func copyPath(version: Int64) -> String { "\(path)/\(Self.copyPrefix)\(version)" }

    private static let copyPrefix = "jar.sqlite.v"

    /// Removes those copies.
    func removeCopies() throws(FileError) {
        let names = try FileSystem.entries(of: path).filter { $0.hasPrefix(Self.copyPrefix) }
        for name in names { try FileSystem.remove("\(path)/\(name)") }
        if !names.isEmpty { try FileSystem.synchronize(path) }
    }

    /// Where the folder is put together before it appears under its name.
    ///
    /// No tenant's name starts with a dot.
    var draft: TenantFolder { TenantFolder(parent: parent, name: ".new-\(name)") }

    /// Where the folder goes before what is in it is removed.
    var grave: TenantFolder { TenantFolder(parent: parent, name: ".old-\(name)") }
}
