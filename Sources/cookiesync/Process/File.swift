// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Small files, read whole.
enum File {
    struct ReadError: Error {
        let message: String
    }

    /// The bytes of a file that holds no more than `limit`.
    static func read(_ path: String, limit: Int) throws(ReadError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ReadError(message: lastError()) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
            }
            if got == 0 { break }
            if got > 0 {
                count += got
            } else if errno != EINTR {
                throw ReadError(message: lastError())
            }
        }
        guard count <= limit else { throw ReadError(message: "larger than \(limit) octets") }
        bytes.removeLast(bytes.count - count)
        return bytes
    }

    /// Makes a file that only its owner can read; one that is there already is left as it is.
    static func create(_ path: String, _ bytes: [UInt8]) throws(ReadError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ReadError(message: lastError()) }
        defer { close(descriptor) }
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            let message = lastError()
            unlink(path)
            throw ReadError(message: message)
        }
    }

    /// Says something to whoever started the process.
    static func writeToStandardError(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
    }

    /// What `errno` says, in words.
    static func lastError() -> String { message(errno) }

    /// What an error number says, in words.
    static func message(_ error: Int32) -> String { String(cString: strerror(error)) }
}
