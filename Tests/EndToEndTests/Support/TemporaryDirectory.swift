// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import Testing

/// A directory of the test's own, removed with everything in it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/cookiesync-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
    }

    // What cannot be removed stays in the system's temporary directory.
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file into it and returns its path.
    func file(_ name: String, _ content: String, mode: mode_t = 0o600) throws -> String {
        let path = "\(path)/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let bytes = Array(content.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        return path
    }
}
