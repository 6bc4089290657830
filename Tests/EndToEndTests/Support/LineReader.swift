// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a test waited for did not come in time.
struct TimedOut: Error, CustomStringConvertible {
    let description: String
}

/// Reads from a descriptor that it owns, and never waits for ever.
final class LineReader {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Reads lines until one contains `text`, and returns that one.
    func line(containing text: String, seconds: Int = 20) throws -> String {
        while true {
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeSubrange(...end)
                if line.contains(text) { return line }
            }
            guard try fill(seconds: seconds) else {
                throw TimedOut(
                    description: "output ended without \(text): "
                        + String(decoding: buffer, as: UTF8.self))
            }
        }
    }

    /// Everything that is still to come.
    func readToEnd(seconds: Int) throws -> String {
        while try fill(seconds: seconds) {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Waits for more; false at the end of the stream.
    private func fill(seconds: Int) throws -> Bool {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, Int32(seconds) * 1_000) == 1 else {
            throw TimedOut(description: "nothing to read for \(seconds) s")
        }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(descriptor, &piece, piece.count)
        guard count > 0 else { return false }
        buffer.append(contentsOf: piece[..<count])
        return true
    }
}
