// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks

/// Room on the disk that is kept for deletions: a file of 1 MiB, given up when the disk is full.
///
/// While it is gone only what deletes is written, as more data would take the room that deletions need; it is taken
/// again before anything else is.
final class Ballast: Sendable {
    private static let size: off_t = 1 << 20

    private let path: String
    private let state = Locked(false)

    /// Takes the room, if there is any.
    init(path: String) {
        self.path = path
        _ = restore()
    }

    /// Whether the room is there.
    var isHeld: Bool { state.withLock { $0 } }

    /// Takes the room again, unless it is there; false when there is none.
    func restore() -> Bool {
        state.withLock { isHeld in
            if !isHeld { isHeld = allocate() }
            return isHeld
        }
    }

    /// Gives the room up; answers whether there was any.
    func release() -> Bool {
        state.withLock { isHeld in
            guard isHeld else { return false }
            isHeld = false
            return unlink(path) == 0
        }
    }

    private func allocate() -> Bool {
        guard let file = try? FileSystem.open(path) else { return false }
        if posix_fallocate(file.number, 0, Self.size) == 0 { return true }
        // What was taken of it is needed elsewhere.
        unlink(path)
        return false
    }
}
