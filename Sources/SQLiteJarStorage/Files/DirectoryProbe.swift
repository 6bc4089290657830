// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// Whether the data directory takes writes, asked while some tenant's files do not.
///
/// A tenant's fault may be its own; a disk that has failed, or that has become read-only, is everyone's. It is found out
/// with a file beside the tenants, and not from how many of them have failed: those that nobody writes to would not show.
final class DirectoryProbe: Sendable {
    private let path: String
    private let failure = Locked<JarStorageError?>(nil)

    init(path: String) { self.path = path }

    /// What was wrong when it was last asked.
    var fault: JarStorageError? { failure.withLock { $0 } }

    /// Writes and syncs one octet.
    ///
    /// Waits for the disk.
    func run() {
        var found: JarStorageError?
        do {
            try FileSystem.replace(path, with: [0])
        } catch {
            let meaning = error.storageError
            // A full disk takes deletions, and has a fault of its own.
            if meaning != .full { found = meaning }
        }
        failure.withLock { $0 = found }
    }
}
