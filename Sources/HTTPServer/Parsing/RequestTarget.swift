// SPDX-License-Identifier: Apache-2.0
// The request target (RFC 9112 §3.2). Origin-form is what clients send; absolute-form has to be accepted and then says
// which authority is meant, whatever Host says (§3.2.2); `*` is for OPTIONS; authority-form is for CONNECT, which is no
// method of an origin. Nothing is decoded or normalised here: what routes is what was sent.

/// Reads request targets.
enum RequestTarget {
    static func read(
        _ bytes: Span<UInt8>, _ target: Range<Int>, into head: inout RequestHead
    ) throws(HTTPFault) {
        guard let first = target.first else { throw .malformedTarget }
        if bytes[first] == ASCII.slash {
            try readPath(bytes, target, into: &head)
        } else if target.count == 1, bytes[first] == ASCII.asterisk {
            guard head.method == .options else { throw .malformedTarget }
            head.path = ByteRange(target.lowerBound, target.upperBound)
        } else {
            try readAbsolute(bytes, target, into: &head)
        }
    }

    /// Path and query.
    ///
    /// In the path, every `%` must begin an escape; the query is the handler's to decode.
    private static func readPath(
        _ bytes: Span<UInt8>, _ range: Range<Int>, into head: inout RequestHead
    ) throws(HTTPFault) {
        let question = bytes.extracting(range).firstIndex(of: ASCII.question, from: 0)
        let end = question.map { range.lowerBound + $0 } ?? range.upperBound
        let path = bytes.extracting(range.lowerBound..<end)
        guard ByteSet.path.containsAll(path) || isEscapedPath(path) else { throw .malformedTarget }
        head.path = ByteRange(range.lowerBound, end)
        guard question != nil else { return }
        try readQuery(bytes, (end + 1)..<range.upperBound, into: &head)
    }

    private static func isEscapedPath(_ path: Span<UInt8>) -> Bool {
        let allowed = ByteSet.path
        var index = 0
        while index < path.count {
            if path[index] == ASCII.percent {
                guard index + 2 < path.count, path[index + 1].hexValue != nil,
                    path[index + 2].hexValue != nil
                else { return false }
                index += 3
            } else {
                guard allowed.contains(path[index]) else { return false }
                index += 1
            }
        }
        return true
    }

    private static func readQuery(
        _ bytes: Span<UInt8>, _ range: Range<Int>, into head: inout RequestHead
    ) throws(HTTPFault) {
        guard ByteSet.query.containsAll(bytes.extracting(range)) else { throw .malformedTarget }
        head.query = ByteRange(range.lowerBound, range.upperBound)
    }

    private static func readAbsolute(
        _ bytes: Span<UInt8>, _ target: Range<Int>, into head: inout RequestHead
    ) throws(HTTPFault) {
        let text = bytes.extracting(target)
        let schemeLength: Int
        if text.count > 7, text.extracting(0..<7).equalsIgnoringCase("http://") {
            schemeLength = 7
        } else if text.count > 8, text.extracting(0..<8).equalsIgnoringCase("https://") {
            schemeLength = 8
        } else {
            throw .malformedTarget
        }
        let start = target.lowerBound + schemeLength
        var end = start
        while end < target.upperBound, bytes[end] != ASCII.slash, bytes[end] != ASCII.question {
            end += 1
        }
        guard Authority.isValid(bytes.extracting(start..<end)) else { throw .malformedTarget }
        head.authority = ByteRange(start, end)
        if end < target.upperBound, bytes[end] == ASCII.slash {
            try readPath(bytes, end..<target.upperBound, into: &head)
        } else {
            // An empty path is "/" (RFC 9110 §4.2.3); the scheme's last slash stands for it.
            head.path = ByteRange(start - 1, start)
            guard end < target.upperBound else { return }
            try readQuery(bytes, (end + 1)..<target.upperBound, into: &head)
        }
    }
}
