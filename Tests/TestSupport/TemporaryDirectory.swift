// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A directory of its own for one test, removed with its owner.
public final class TemporaryDirectory: Sendable {
    /// Where it is.
    public let path: String

    /// Makes an empty directory in `$TMPDIR`, or in `/tmp`.
    public init() throws {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/cookiesync-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw TemporaryDirectoryError(errno: errno) }
        path = made
    }

    deinit {
        // What is left of it disturbs nobody.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    public func file(_ name: String) -> String { "\(path)/\(name)" }
}

/// The directory could not be made.
public struct TemporaryDirectoryError: Error {
    /// Why.
    public let errno: Int32

    /// A failure with that reason.
    public init(errno: Int32) { self.errno = errno }
}
