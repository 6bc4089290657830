// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Where finished lines go.
///
/// Thread-safe; must never block the caller for long, and may drop lines, which it counts.
public protocol LineSink: Sendable {
    /// Takes so many whole lines at once, which lie there during the call only.
    func write(lines: UnsafeBufferPointer<UInt8>, count: Int)
}

/// What is logged of requests, and how: one line for each, gathered by `RequestLines` and handed on in batches.
public struct RequestLog: Sendable {
    /// How a line looks.
    public let format: LogFormat
    /// Of how many requests one is logged.
    public let every: Int
    /// Requests of a lower level are not logged.
    public let level: LogLevel
    let sink: any LineSink

    /// A log of requests.
    ///
    /// - Parameters:
    ///   - format: how a line looks.
    ///   - level: requests below it are not logged.
    ///   - every: of how many requests one is logged; answers of 500 and above always are.
    ///   - sink: where the lines go.
    public init(format: LogFormat, level: LogLevel, every: Int, sink: any LineSink) {
        self.format = format
        self.level = level
        self.every = max(1, every)
        self.sink = sink
    }
}

/// The lines of requests that one thread has finished and not yet handed on.
///
/// A line is put together of pieces that are copied: what is the same in all requests of a route was written once, so that a
/// line costs about a dozen short copies and a few digits. A class, because an observer that holds it as a value would have it
/// copied with each line.
///
/// Not `Sendable`: it belongs to its thread.
public final class RequestLines {
    private let level: LogLevel
    private let every: Int
    // By itself: as a part of the log it would be copied with the whole log each time.
    private let sink: any LineSink
    private let words: LineWords
    /// Memory of its own rather than an array: a line is one check of its size, and then nothing but copies.
    private var memory: UnsafeMutableBufferPointer<UInt8>
    private var used = 0
    private var count = 0
    private var skipped = 0
    // Only ever touched by the one thread; a check at each line would find nothing.
    @exclusivity(unchecked) private var clock: WallClock

    /// Lines for that log; none yet.
    public init(_ log: RequestLog) {
        level = log.level
        every = log.every
        sink = log.sink
        words = LineWords(log.format)
        clock = WallClock(opening: words.start.withUTF8Buffer { Array($0) })
        memory = .allocate(capacity: Self.memoryBytes)
    }

    deinit { memory.deallocate() }

    /// Adds the line of a request that has ended, unless it is left out.
    ///
    /// - Parameters:
    ///   - request: what ended, and how.
    ///   - id: the request's id.
    ///   - route: the fields of all requests of its route, as `LogFields` wrote them.
    ///   - fields: further fields of this one.
    public func add(
        _ request: FinishedRequest, id: [UInt8], route: [UInt8], fields: [UInt8]
    ) {
        guard request.level >= level else { return }
        if request.status < 500 {
            skipped += 1
            guard skipped >= every else { return }
            skipped = 0
        }
        clock.set(request.endedAt)
        reserve(id.count + route.count + fields.count + LineWords.maximumBytes)
        var line = OutputSpan(
            buffer: UnsafeMutableBufferPointer(rebasing: memory[used...]), initializedCount: 0)
        line.append(clock.opening)
        line.append(digits: clock.milliseconds)
        line.append(request.level == .debug ? words.debug : words.info)
        line.append(id)
        line.append(UInt8(ascii: "\""))
        line.append(route)
        line.append(fields)
        line.append(words.status)
        line.append(decimal: request.status)
        line.append(words.duration)
        line.append(milliseconds: request.nanoseconds)
        line.append(words.received)
        line.append(decimal: request.bytesReceived)
        line.append(words.sent)
        line.append(decimal: request.bytesSent)
        line.append(words.end)
        used += line.finalize(for: UnsafeMutableBufferPointer(rebasing: memory[used...]))
        count += 1
    }

    /// Hands on what has gathered.
    public func flush() {
        guard count > 0 else { return }
        sink.write(lines: UnsafeBufferPointer(rebasing: memory[..<used]), count: count)
        count = 0
        used = 0
    }

    /// Makes room for a line: by handing on what there is, or by more memory for one that is longer than all of it.
    private func reserve(_ bytes: Int) {
        guard memory.count - used < bytes else { return }
        flush()
        guard memory.count < bytes else { return }
        memory.deallocate()
        memory = .allocate(capacity: bytes)
    }

    private static let memoryBytes = 1 << 16
}

/// A request that has ended.
public struct FinishedRequest: Sendable {
    /// How much it matters.
    public var level: LogLevel
    /// The status of its answer.
    public var status: Int
    /// How long it took.
    public var nanoseconds: Int
    /// When it ended, in nanoseconds of the monotonic clock.
    public var endedAt: Int
    /// Octets that were received.
    public var bytesReceived: Int
    /// Octets that were sent.
    public var bytesSent: Int

    /// A request that has ended.
    public init(
        level: LogLevel, status: Int, nanoseconds: Int, endedAt: Int, bytesReceived: Int,
        bytesSent: Int
    ) {
        self.level = level
        self.status = status
        self.nanoseconds = nanoseconds
        self.endedAt = endedAt
        self.bytesReceived = bytesReceived
        self.bytesSent = bytesSent
    }
}

/// The parts of a line that are the same in all of them.
private struct LineWords {
    /// What these, a time and four numbers take at most.
    static let maximumBytes = 320

    let start: StaticString
    let info: StaticString
    let debug: StaticString
    let status: StaticString
    let duration: StaticString
    let received: StaticString
    let sent: StaticString
    let end: StaticString

    init(_ format: LogFormat) {
        switch format {
        case .json:
            start = "{\"time\":\""
            info = "Z\",\"level\":\"info\",\"event\":\"request\",\"request_id\":\""
            debug = "Z\",\"level\":\"debug\",\"event\":\"request\",\"request_id\":\""
            status = ",\"status\":"
            duration = ",\"duration_ms\":"
            received = ",\"bytes_in\":"
            sent = ",\"bytes_out\":"
            end = "}\n"
        case .text:
            start = ""
            info = "Z info    request request_id=\""
            debug = "Z debug   request request_id=\""
            status = " status="
            duration = " duration_ms="
            received = " bytes_in="
            sent = " bytes_out="
            end = "\n"
        }
    }
}

/// Fields of a line, in either format, whose values need no escape: the caller knows them to be printable ASCII without
/// quotes and backslashes, such as an identifier that was checked.
public enum LogFields {
    /// Appends a field.
    public static func append(
        _ name: StaticString, _ value: UnsafeBufferPointer<UInt8>, _ format: LogFormat,
        to fields: inout [UInt8]
    ) {
        fields.append(addingCapacity: name.utf8CodeUnitCount + value.count + 6) { field in
            switch format {
            case .json:
                field.append(UInt8(ascii: ","))
                field.append(UInt8(ascii: "\""))
                field.append(name)
                field.append(UInt8(ascii: "\""))
                field.append(UInt8(ascii: ":"))
            case .text:
                field.append(UInt8(ascii: " "))
                field.append(name)
                field.append(UInt8(ascii: "="))
            }
            field.append(UInt8(ascii: "\""))
            field.append(value)
            field.append(UInt8(ascii: "\""))
        }
    }

    /// Appends a field.
    public static func append(
        _ name: StaticString, _ value: [UInt8], _ format: LogFormat, to fields: inout [UInt8]
    ) {
        value.withUnsafeBufferPointer { append(name, $0, format, to: &fields) }
    }
}

/// The wall clock's time of moments of the monotonic clock, as text; what stays the same for a second is kept.
private struct WallClock {
    private let start: [UInt8]
    private var offset = 0
    private var second = Int.min
    /// What a line begins with, up to and with the point before the milliseconds.
    private(set) var opening: [UInt8] = []
    /// The milliseconds that follow.
    private(set) var milliseconds = 0

    /// A clock for lines that have this before the time.
    init(opening start: [UInt8]) { self.start = start }

    /// Sets the time.
    mutating func set(_ monotonic: Int) {
        var now = monotonic &+ offset
        if now / 1_000_000_000 != second {
            // Once a second is often enough to notice that the wall clock was set.
            offset = Self.nanoseconds(CLOCK_REALTIME) &- Self.nanoseconds(CLOCK_MONOTONIC)
            now = monotonic &+ offset
            second = now / 1_000_000_000
            opening = start
            LogTime(seconds: second, milliseconds: 0).append(to: &opening)
            opening.removeLast(4)
        }
        milliseconds = now / 1_000_000 % 1_000
    }

    private static func nanoseconds(_ clock: clockid_t) -> Int {
        var time = timespec()
        clock_gettime(clock, &time)
        return time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }
}

extension OutputSpan<UInt8> {
    /// Appends bytes that there is room for.
    @inline(__always)
    fileprivate mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        withUnsafeMutableBufferPointer { buffer, count in
            guard let source = bytes.baseAddress, let target = buffer.baseAddress else { return }
            precondition(bytes.count <= buffer.count - count, "no room")
            (target + count).initialize(from: source, count: bytes.count)
            count += bytes.count
        }
    }

    /// Appends bytes that there is room for.
    @inline(__always)
    fileprivate mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { append($0) }
    }

    /// Appends a text that there is room for.
    @inline(__always)
    fileprivate mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append($0) }
    }

    /// Appends a number that is not negative.
    fileprivate mutating func append(decimal number: Int) {
        let number = UInt(Swift.max(0, number))
        var divisor: UInt = 1
        if number >= 1_000 {
            divisor = 1_000
            while number / divisor >= 10 { divisor *= 10 }
        } else if number >= 10 {
            // What most numbers of a line are, without a division by what is not known.
            if number >= 100 { append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 100)) }
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }

    /// Appends nanoseconds as milliseconds with three decimals.
    fileprivate mutating func append(milliseconds nanoseconds: Int) {
        let microseconds = Swift.max(0, nanoseconds) / 1_000
        append(decimal: microseconds / 1_000)
        append(UInt8(ascii: "."))
        append(digits: microseconds % 1_000)
    }

    /// Appends a number below 1 000 as three digits.
    fileprivate mutating func append(digits number: Int) {
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 100))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / 10 % 10))
        append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number % 10))
    }
}
