// SPDX-License-Identifier: Apache-2.0

/// A client of a stream of server-sent events.
public final class EventReader {
    /// What stands between two blank lines.
    public struct Event: Equatable, Sendable {
        /// Its `id`, if it has one.
        public var id: UInt64?
        /// Its `event`, if it has one.
        public var name: String?
        /// Its `data`, if it has any.
        public var data: String?
        /// Its comments.
        public var comments: [String] = []
        /// Its `retry`, if it has one.
        public var retry: String?

        /// An event made of its parts.
        public init(
            id: UInt64? = nil, name: String? = nil, data: String? = nil, comments: [String] = [],
            retry: String? = nil
        ) {
            self.id = id
            self.name = name
            self.data = data
            self.comments = comments
            self.retry = retry
        }
    }

    /// What went wrong.
    public enum Failure: Error {
        /// The answer is no stream.
        case answered(RawResponse)
        /// The connection ended in the middle.
        case closed
    }

    private let client: RawHTTPClient
    private var raw: [UInt8] = []
    private var text: [UInt8] = []
    private var hasEnded = false
    /// The lines of the answer's head.
    public private(set) var head: [String] = []

    /// Asks for a stream.
    public init(
        port: UInt16, _ target: String, lastEventID: String? = nil, token: String? = nil,
        receiveBuffer: Int32? = nil
    ) throws {
        client = try RawHTTPClient(port: port, receiveBuffer: receiveBuffer)
        let cursor = lastEventID.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        let credentials = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        try client.send(
            "GET \(target) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
                + "Accept: text/event-stream\r\n\(cursor)\(credentials)\r\n")
    }

    /// Reads the answer's head.
    public func open() throws {
        while head.isEmpty {
            try receive()
            guard let end = Self.find(Array("\r\n\r\n".utf8), in: raw) else { continue }
            let lines = String(decoding: raw[..<end], as: UTF8.self)
            head = lines.split(separator: "\r\n").map(String.init)
            guard head[0].hasSuffix(" 200 OK") else {
                while true {
                    if let (answer, _) = RawResponse.parse(raw, isHead: false) {
                        throw Failure.answered(answer)
                    }
                    try receive()
                }
            }
            raw.removeFirst(end + 4)
        }
    }

    /// The next event of any kind; nil at the end.
    public func next() throws -> Event? {
        try open()
        while true {
            if let end = Self.find([10, 10], in: text) {
                let block = String(decoding: text[..<end], as: UTF8.self)
                text.removeFirst(end + 2)
                return Self.event(block)
            }
            if hasEnded { return nil }
            try unchunk()
        }
    }

    /// The next event with data; nil at the end.
    public func nextData() throws -> Event? {
        while let event = try next() {
            if event.data != nil { return event }
        }
        return nil
    }

    private func receive() throws {
        let more = try client.readSome()
        guard !more.isEmpty else { throw Failure.closed }
        raw += more
    }

    /// Takes the next chunk.
    private func unchunk() throws {
        while true {
            if let lineEnd = Self.find([13, 10], in: raw),
                let size = Int(String(decoding: raw[..<lineEnd], as: UTF8.self), radix: 16),
                raw.count >= lineEnd + 2 + size + 2
            {
                text += raw[(lineEnd + 2)..<(lineEnd + 2 + size)]
                raw.removeFirst(lineEnd + 2 + size + 2)
                hasEnded = size == 0
                return
            }
            try receive()
        }
    }

    private static func event(_ block: String) -> Event {
        var event = Event()
        for line in block.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = String(parts.last?.drop(while: { $0 == " " }) ?? "")
            switch parts[0] {
            case "": event.comments.append(value)
            case "id": event.id = UInt64(value)
            case "event": event.name = value
            case "data": event.data = value
            case "retry": event.retry = value
            default: break
            }
        }
        return event
    }

    private static func find(_ pattern: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= pattern.count else { return nil }
        return (0...(bytes.count - pattern.count)).first { start in
            bytes[start..<(start + pattern.count)].elementsEqual(pattern)
        }
    }
}
