// SPDX-License-Identifier: Apache-2.0

import Glibc
import JarStorage
import Locks

/// Makes a durable, checked copy of one tenant while the tenant's writer goes on.
struct TenantCopier {
    let writers: WriterPool
    /// What opens the values of a copy; nil when they are copied unread.
    var sealing: DirectorySealing?

    /// A copy in its folder.
    struct Copy {
        let sequence: Int64
        let bytes: Int
    }

    /// Copies a tenant into a folder that does not exist.
    ///
    /// Waits for the tenant's writer: not to be called on a thread of the pool.
    func copy(_ tenant: TenantID, to folder: TenantFolder) throws(JarStorageError) -> Copy {
        try Self.files { () throws(FileError) in
            try FileSystem.makeDirectory(folder.path)
            _ = try FileSystem.open(folder.databasePath, exclusively: true)
        }
        let sequence = try copyDatabase(of: tenant, to: folder.databasePath)
        try DatabaseCheck.run(folder, lastSequence: sequence)
        if let sealing { try DatabaseCheck.openValues(in: folder, sealing) }
        return Copy(sequence: sequence, bytes: try Self.finish(folder, sequence))
    }

    /// Gives a folder its high-water mark and makes it durable; answers the size of its database.
    static func finish(_ folder: TenantFolder, _ sequence: Int64) throws(JarStorageError) -> Int {
        try files { () throws(FileError) in
            try HighWaterMark(path: folder.highWaterPath).write(sequence)
            for path in [folder.databasePath, folder.highWaterPath, folder.path] {
                try FileSystem.synchronize(path)
            }
            return try FileSystem.size(of: folder.databasePath)
        }
    }

    /// Translates the failures of system calls.
    static func files<Result>(
        _ body: () throws(FileError) -> Result
    ) throws(JarStorageError) -> Result {
        do {
            return try body()
        } catch {
            throw error.storageError
        }
    }

    private func copyDatabase(of tenant: TenantID, to path: String) throws(JarStorageError)
        -> Int64
    {
        let slot = Slot<Result<Int64, JarStorageError>>()
        writers.enqueue(.copy(to: path) { slot.fill($0) }, for: tenant)
        return try slot.wait().get()
    }
}
