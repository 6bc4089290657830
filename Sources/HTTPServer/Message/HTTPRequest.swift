// SPDX-License-Identifier: Apache-2.0

/// A request as it lies in the buffers of its event loop.
///
/// It is a view: every buffer that it gives is valid only during the call that the request was passed to. Nothing is
/// decoded; the target is as it was sent, checked for the characters that a URI may have.
public struct HTTPRequest {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let fields: UnsafeBufferPointer<FieldRange>
    private let head: RequestHead
    private let peer: PeerAddress
    /// The content, decoded from chunks and gzip.
    ///
    /// Empty in `admit`, and where a sink took it.
    public let body: UnsafeBufferPointer<UInt8>
    /// The sink that `admit` named and that has taken the content.
    public let bodySink: (any HTTPBodySink)?

    init(
        bytes: UnsafeBufferPointer<UInt8>, fields: UnsafeBufferPointer<FieldRange>,
        head: RequestHead,
        peer: PeerAddress, body: UnsafeBufferPointer<UInt8>, bodySink: (any HTTPBodySink)?
    ) {
        self.bytes = bytes
        self.fields = fields
        self.head = head
        self.peer = peer
        self.body = body
        self.bodySink = bodySink
    }

    /// The method.
    public var method: HTTPMethod { head.method }
    /// The method's bytes, which tell the methods apart that are `.other`.
    public var methodName: UnsafeBufferPointer<UInt8> { slice(head.methodName) }
    /// The path as it was sent, undecoded; `*` for `OPTIONS *`.
    public var path: UnsafeBufferPointer<UInt8> { slice(head.path) }
    /// What follows the `?` of the target, undecoded; nil without one.
    public var query: UnsafeBufferPointer<UInt8>? { head.query.map(slice) }
    /// Path and query as they were sent, with the `?` between them.
    public var target: UnsafeBufferPointer<UInt8> {
        slice(ByteRange(head.path.start, head.query?.end ?? head.path.end))
    }
    /// The authority that the request is for: that of an absolute target, else the `Host` field
    /// (RFC 9112 §3.3).
    ///
    /// Nil only in HTTP/1.0.
    public var authority: UnsafeBufferPointer<UInt8>? { head.authority.map(slice) }
    /// The length that the client declared; nil without one (chunked, or no content).
    public var contentLength: Int? { head.framing.declaredLength }
    /// Whether content follows the head: a declared length above zero, or chunks.
    public var hasBody: Bool { head.framing.hasContent }
    /// Whether the client takes a gzip-coded answer (RFC 9110 §12.5.3).
    public var acceptsGzip: Bool { head.acceptsGzip }
    /// Whether the client's address is one of the machine's own loopback addresses.
    public var peerIsLoopback: Bool { peer.isLoopback }
    /// The client's address as text, without port.
    public var peerAddress: String { peer.description }

    /// The client's network, to count clients by: an IPv4 address as a whole, the first 64 bits of an IPv6 address.
    public var peerNetwork: (UInt64, UInt64) { peer.network }

    /// The value of the first field of a name, without surrounding white space.
    ///
    /// Names are compared without regard to case.
    ///
    /// - Complexity: O(n) in the number of fields.
    public func field(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        let wanted = name.bytes
        for field in fields where field.name.count == wanted.count {
            if slice(field.name).span.equalsIgnoringCase(wanted.span) { return slice(field.value) }
        }
        return nil
    }

    /// How many fields have a name.
    ///
    /// - Complexity: O(n) in the number of fields.
    public func fieldCount(_ name: StaticString) -> Int {
        var count = 0
        forEachField { candidate, _ in
            if candidate.span.equalsIgnoringCase(name) { count += 1 }
        }
        return count
    }

    /// Calls a closure with every field, in the order in which they were sent; values without surrounding white space.
    public func forEachField(
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        for field in fields { body(slice(field.name), slice(field.value)) }
    }

    /// Ranges come from the parser and lie within; a range that did not would be empty, not read past the end.
    private func slice(_ range: ByteRange) -> UnsafeBufferPointer<UInt8> {
        guard range.end <= bytes.count, range.start <= range.end else {
            return UnsafeBufferPointer(start: nil, count: 0)
        }
        return UnsafeBufferPointer(rebasing: bytes[range.start..<range.end])
    }
}
