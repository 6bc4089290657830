// SPDX-License-Identifier: Apache-2.0

/// The first line of a request: `method SP request-target SP HTTP-version` (RFC 9112 §3), with single spaces.
enum RequestLine {
    static func read(
        _ bytes: Span<UInt8>, _ line: Range<Int>, into head: inout RequestHead
    ) throws(HTTPFault) {
        let token = ByteSet.token
        var methodEnd = line.lowerBound
        while methodEnd < line.upperBound, token.contains(bytes[methodEnd]) { methodEnd += 1 }
        guard methodEnd > line.lowerBound, methodEnd < line.upperBound,
            bytes[methodEnd] == ASCII.space,
            let targetEnd = bytes.firstIndex(of: ASCII.space, from: methodEnd + 1),
            targetEnd < line.upperBound
        else { throw .malformedRequestLine }
        head.isLegacy = try readVersion(bytes.extracting((targetEnd + 1)..<line.upperBound))
        let method = bytes.extracting(line.lowerBound..<methodEnd)
        head.method = HTTPMethod(method)
        head.methodName = ByteRange(line.lowerBound, methodEnd)
        if head.method == .other, method.isExactly("CONNECT") { throw .unsupportedMethod }
        try RequestTarget.read(bytes, (methodEnd + 1)..<targetEnd, into: &head)
    }

    /// Reads the version (RFC 9112 §2.3); a higher minor version of HTTP/1 is taken for 1.1.
    ///
    /// - Returns: Whether it is HTTP/1.0.
    private static func readVersion(_ version: Span<UInt8>) throws(HTTPFault) -> Bool {
        guard version.count == 8, version.extracting(0..<5).isExactly("HTTP/"), version[5].isDigit,
            version[6] == UInt8(ascii: "."), version[7].isDigit
        else { throw .malformedRequestLine }
        guard version[5] == UInt8(ascii: "1") else { throw .unsupportedVersion }
        return version[7] == ASCII.zero
    }
}
