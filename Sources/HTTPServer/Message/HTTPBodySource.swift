// SPDX-License-Identifier: Apache-2.0

/// What a source had to give.
public enum HTTPSourceProgress: Sendable {
    /// There may be more at once; ask again when there is room.
    case more
    /// Nothing for now; the source calls `HTTPStreamSignal.signal()` when that changes.
    case wait
    /// That was all.
    case end
    /// The content cannot be completed; the connection is cut so that the client notices.
    case failed
}

/// Content that is pulled as fast as the client reads it.
///
/// The server calls `read` on the event loop of the connection, only while less than
/// `ServerConfiguration.streamBufferBytes` wait for the client, so a slow reader holds a bounded amount. The calls
/// must not block; a source that waits for another thread answers `.wait` and signals later.
public protocol HTTPBodySource: AnyObject, Sendable {
    /// How many octets may wait for the client, where that is fewer than `ServerConfiguration.streamBufferBytes`.
    ///
    /// Asked on every pull, so it must be quick.
    var unsentLimit: Int { get }

    /// Whether a client that shuts its side of the connection has gone, as for content without an end.
    var endsWithClient: Bool { get }

    /// Called once, before the first `read`.
    ///
    /// The signal may be used from any thread, for as long as the source lives.
    func start(_ signal: HTTPStreamSignal)

    /// Appends the next piece of the content.
    ///
    /// - Parameters:
    ///   - output: Takes the content; what is there already must be left alone.
    ///   - room: How many octets may be appended; what goes beyond is sent all the same.
    /// - Returns: What is to be expected next.
    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress

    /// Called when the content is no longer wanted: the client has gone, was too slow, or the server is stopping.
    func cancel()
}

extension HTTPBodySource {
    /// As much as the server allows.
    public var unsentLimit: Int { Int.max }

    /// A client that has shut its side still reads.
    public var endsWithClient: Bool { false }
}

/// Content of a request that a handler takes as it arrives.
///
/// Called on the event loop of the connection; must not block.
public protocol HTTPBodySink: AnyObject, Sendable {
    /// Called once, before the first `receive`.
    ///
    /// The signal resumes a body that `receive` paused.
    func start(_ signal: HTTPStreamSignal)

    /// Takes the next piece of the content, decoded.
    ///
    /// The bytes are valid during the call only.
    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTPSinkProgress

    /// Called when the content will never be complete: the client has gone, was too slow, or sent what is no content.
    func cancel()
}

/// What a sink says to a piece of a request's content.
public enum HTTPSinkProgress: Sendable {
    /// Send the next piece as soon as it is there.
    case more
    /// This piece is taken, but the next has to wait until `HTTPStreamSignal.signal()`.
    case pause
    /// Read no further and answer this.
    case refuse(HTTPResponse)
}
