// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Synchronization

/// A text of the binary as content, of which little waits for a client that does not read: the route is open to everyone,
/// and whoever asks for it on thousands of connections must not have thousands of copies made.
final class DocumentBody: HTTPBodySource {
    private static let waitingBytes = 8 << 10

    private let text: StaticString
    private let position = Atomic(0)

    init(_ text: StaticString) { self.text = text }

    var unsentLimit: Int { Self.waitingBytes }

    func start(_ signal: HTTPStreamSignal) {}

    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
        let start = position.load(ordering: .relaxed)
        let end = min(text.utf8CodeUnitCount, start + room)
        position.store(end, ordering: .relaxed)
        text.withUTF8Buffer { output.append(contentsOf: $0[start..<end]) }
        return end < text.utf8CodeUnitCount ? .more : .end
    }

    func cancel() {}
}
