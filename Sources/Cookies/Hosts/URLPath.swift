// SPDX-License-Identifier: Apache-2.0

/// The path of a special URL as the URL standard's parser leaves it.
enum URLPath {
    static func isSlash(_ byte: UInt8) -> Bool { byte == ASCII.slash || byte == ASCII.backslash }

    private static let root = [ASCII.slash]

    /// Resolves dot segments and encodes what a path may not hold.
    static func normalized(_ text: ArraySlice<UInt8>) -> [UInt8] {
        if text.count < 2, text.first.map(isSlash) ?? true { return root }
        if isNormal(text) { return Array(text) }
        var segments: [[UInt8]] = []
        let parts = text.dropFirst().split(
            omittingEmptySubsequences: false, whereSeparator: isSlash)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            switch dots(part) {
            case 1:
                if isLast { segments.append([]) }
            case 2:
                _ = segments.popLast()
                if isLast { segments.append([]) }
            default:
                segments.append(encoded(part))
            }
        }
        var path: [UInt8] = []
        for segment in segments {
            path.append(ASCII.slash)
            path += segment
        }
        return path
    }

    /// Whether nothing has to be done: no dot segment can be there, and no octet needs encoding.
    private static func isNormal(_ text: ArraySlice<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            if needsEncoding(byte) || byte == ASCII.backslash { return false }
            let mayBeDot = byte == ASCII.dot || byte == ASCII.percent
            if mayBeDot, previous == ASCII.slash { return false }
            previous = byte
        }
        return true
    }

    /// 1 for a segment that means "here", 2 for one that means "up", else 0; `%2e` is a dot.
    private static func dots(_ segment: ArraySlice<UInt8>) -> Int {
        var rest = segment
        var count = 0
        while !rest.isEmpty {
            if rest.first == ASCII.dot {
                rest = rest.dropFirst()
            } else if ASCII.hasPrefix(rest, "%2e") {
                rest = rest.dropFirst(3)
            } else {
                return 0
            }
            count += 1
            if count > 2 { return 0 }
        }
        return count
    }

    private static func encoded(_ segment: ArraySlice<UInt8>) -> [UInt8] {
        PercentEncoding.encode(segment, where: needsEncoding)
    }

    /// The URL standard's path percent-encode set.
    private static func needsEncoding(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "}"):
            return true
        default:
            return PercentEncoding.isQueryOctet(byte)
        }
    }
}
