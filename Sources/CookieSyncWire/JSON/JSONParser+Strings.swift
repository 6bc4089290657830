// SPDX-License-Identifier: Apache-2.0

extension JSONParser {
    /// Checks the string at the position and puts its content's range on the tape.
    mutating func string() throws(JSONError) {
        position += 1
        let start = position
        var escaped = 0
        scan: while true {
            skipPlain()
            guard position &- start &- escaped <= limits.stringBytes else {
                throw .tooLarge(offset: start, what: "a string")
            }
            guard position < source.count else { throw malformed("the string's closing quote") }
            switch source[position] {
            case UInt8(ascii: "\""): break scan
            case UInt8(ascii: "\\"): escaped += try escape()
            case 0x00..<0x20: throw malformed("control characters to be escaped")
            default: try multibyte()
            }
        }
        let end = position
        position += 1
        try appendScalar(.string, from: start, to: end, hasEscapes: escaped > 0)
    }

    /// Passes what stands for itself.
    @inline(__always)
    private mutating func skipPlain() {
        let rest = UnsafeBufferPointer(rebasing: source[position...])
        // Names, and most other strings, end within two words.
        position &+= JSONText.shortPlainRun(rest) ?? JSONText.plainRun(rest)
    }

    private mutating func multibyte() throws(JSONError) {
        guard let length = UTF8Text.sequenceLength(in: source, at: position) else {
            throw malformed("UTF-8")
        }
        position += length
    }

    /// Passes one escape and returns by how much its text is longer than what it stands for.
    private mutating func escape() throws(JSONError) -> Int {
        guard position + 1 < source.count else { throw malformed("an escape") }
        switch source[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
            return 1
        case UInt8(ascii: "u"):
            return try unicodeEscape()
        default:
            throw malformed("an escape")
        }
    }

    private mutating func unicodeEscape() throws(JSONError) -> Int {
        guard let unit = JSONEscape.codeUnit(in: source, at: position) else {
            throw malformed("four hexadecimal digits")
        }
        switch unit {
        case 0xD800..<0xDC00:
            guard let low = JSONEscape.codeUnit(in: source, at: position + 6),
                0xDC00..<0xE000 ~= low
            else { throw malformed("a surrogate pair") }
            position += 12
            return 8
        case 0xDC00..<0xE000:
            throw malformed("a surrogate pair")
        default:
            position += 6
            return unit < 0x80 ? 5 : unit < 0x800 ? 4 : 3
        }
    }

    /// Notes the first name in an object that it had already.
    ///
    /// Few names are compared with each other, many are put into a set, so that an object costs what it is long.
    mutating func findDuplicates(in object: Int) {
        let count = Int(nodes[object].count)
        guard count > 1, duplicateName == nil else { return }
        if count <= 8 {
            compareNames(of: object, count: count)
        } else {
            var seen = Set<[UInt8]>(minimumCapacity: count)
            var name = object + 1
            for _ in 0..<count {
                guard seen.insert(text(of: name)).inserted else {
                    return duplicateName = Int(nodes[name].start)
                }
                name = Int(nodes[name + 1].next)
            }
        }
    }

    private mutating func compareNames(of object: Int, count: Int) {
        var first = object + 1
        for remaining in stride(from: count - 1, to: 0, by: -1) {
            var other = Int(nodes[first + 1].next)
            for _ in 0..<remaining {
                if sameText(first, other) { return duplicateName = Int(nodes[other].start) }
                other = Int(nodes[other + 1].next)
            }
            first = Int(nodes[first + 1].next)
        }
    }

    private func sameText(_ left: Int, _ right: Int) -> Bool {
        let (first, second) = (nodes[left], nodes[right])
        guard !first.hasEscapes, !second.hasEscapes else {
            return text(of: left) == text(of: right)
        }
        return source[Int(first.start)..<Int(first.end)]
            .elementsEqual(source[Int(second.start)..<Int(second.end)])
    }

    private func text(of index: Int) -> [UInt8] {
        JSONEscape.resolve(source, nodes[index])
    }
}

/// The escapes of a string that has been checked.
enum JSONEscape {
    /// The UTF-16 code unit of the `\uXXXX` at an index, or nil when none stands there.
    static func codeUnit(in source: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= source.count, source[index] == UInt8(ascii: "\\"),
            source[index + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt32 = 0
        for byte in source[index + 2..<index + 6] {
            guard let digit = hexadecimalDigit(byte) else { return nil }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    /// The bytes a string stands for.
    static func resolve(_ source: [UInt8], _ node: JSONNode) -> [UInt8] {
        source.withUnsafeBufferPointer { resolve($0, node) }
    }

    /// The bytes a string stands for.
    static func resolve(_ source: UnsafeBufferPointer<UInt8>, _ node: JSONNode) -> [UInt8] {
        let (start, end) = (Int(node.start), Int(node.end))
        guard node.hasEscapes else {
            return Array(UnsafeBufferPointer(rebasing: source[start..<end]))
        }
        var output: [UInt8] = []
        output.reserveCapacity(end - start)
        var index = start
        while index < end {
            guard source[index] == UInt8(ascii: "\\") else {
                output.append(source[index])
                index += 1
                continue
            }
            index += resolveOne(source, at: index, into: &output)
        }
        return output
    }

    /// Appends what the escape at an index stands for; returns the length of its text.
    private static func resolveOne(
        _ source: UnsafeBufferPointer<UInt8>, at index: Int, into output: inout [UInt8]
    ) -> Int {
        // A text that was checked ends in no backslash.
        switch index + 1 < source.count ? source[index + 1] : UInt8(ascii: "\\") {
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0C)
        case UInt8(ascii: "n"): output.append(0x0A)
        case UInt8(ascii: "r"): output.append(0x0D)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): return resolveUnicode(source, at: index, into: &output)
        case let byte: output.append(byte)
        }
        return 2
    }

    private static func resolveUnicode(
        _ source: UnsafeBufferPointer<UInt8>, at index: Int, into output: inout [UInt8]
    ) -> Int {
        let high = codeUnit(in: source, at: index) ?? 0xFFFD
        guard 0xD800..<0xDC00 ~= high, let low = codeUnit(in: source, at: index + 6) else {
            UTF8Text.append(high, to: &output)
            return 6
        }
        UTF8Text.append(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), to: &output)
        return 12
    }
}

/// The value of a hexadecimal digit in either case.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
