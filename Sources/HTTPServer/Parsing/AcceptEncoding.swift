// SPDX-License-Identifier: Apache-2.0

/// What `Accept-Encoding` says about gzip (RFC 9110 §12.5.3): its weight, that of `*` in its place, and whether no
/// coding at all is wanted more.
struct AcceptEncoding: Sendable {
    private var gzip: Int?
    private var any: Int?
    private var identity: Int?

    var acceptsGzip: Bool {
        let weight = gzip ?? any ?? 0
        return weight > 0 && weight >= identity ?? 0
    }

    mutating func take(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var found = self
        FieldLine.forEachElement(of: bytes, in: value) { element in
            found.takeElement(bytes.extracting(element))
        }
        self = found
    }

    private mutating func takeElement(_ element: Span<UInt8>) {
        let nameEnd = element.firstIndex(of: ASCII.semicolon, from: 0) ?? element.count
        let name = element.extracting(FieldLine.trim(element, 0..<nameEnd))
        let weight = nameEnd < element.count ? Self.weight(element, from: nameEnd + 1) : 1000
        if name.equalsIgnoringCase("gzip") || name.equalsIgnoringCase("x-gzip") {
            gzip = weight
        } else if name.isExactly("*") {
            any = weight
        } else if name.equalsIgnoringCase("identity") {
            identity = weight
        }
    }

    /// A weight `q=0.5` (RFC 9110 §12.4.2) in thousandths; what is no weight counts as 0, so that nothing is forced on
    /// a client that cannot be understood.
    private static func weight(_ text: Span<UInt8>, from start: Int) -> Int {
        let range = FieldLine.trim(text, start..<text.count)
        guard (3...7).contains(range.count),
            text[range.lowerBound].lowercasedASCII == UInt8(ascii: "q"),
            text[range.lowerBound + 1] == ASCII.equals, text[range.lowerBound + 2].isDigit
        else { return 0 }
        var weight = Int(text[range.lowerBound + 2] - ASCII.zero) * 1000
        var scale = 100
        for index in (range.lowerBound + 3)..<range.upperBound {
            if index == range.lowerBound + 3 {
                guard text[index] == UInt8(ascii: ".") else { return 0 }
            } else {
                guard text[index].isDigit else { return 0 }
                weight += Int(text[index] - ASCII.zero) * scale
                scale /= 10
            }
        }
        return weight <= 1000 ? weight : 0
    }
}
