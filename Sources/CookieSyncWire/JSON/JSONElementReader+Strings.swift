// SPDX-License-Identifier: Apache-2.0

// What is inside of strings: every byte is checked, and kept where someone wants it.
extension JSONElementReader {
    /// Takes a byte of the open string.
    mutating func takeInString(_ byte: UInt8) throws(JSONError) {
        switch token {
        case .none, .scalar: break
        case .string: try takePlain(byte)
        case .escape: try takeEscape(byte)
        case .hexadecimal(let left, let unit):
            guard let digit = hexadecimalDigit(byte) else {
                throw malformed("four hexadecimal digits")
            }
            keepContent(byte, startsCharacter: false)
            let unit = unit << 4 | UInt32(digit)
            if left > 1 {
                token = .hexadecimal(left: left - 1, unit: unit)
            } else {
                token = .string
                takeUnit(unit)
            }
        case .multibyte(let left, let low, let high):
            guard low...high ~= byte else { throw malformed("UTF-8") }
            keepContent(byte, startsCharacter: false)
            token = left > 1 ? .multibyte(left: left - 1, low: 0x80, high: 0xBF) : .string
        }
    }

    private mutating func takePlain(_ byte: UInt8) throws(JSONError) {
        if needsLowSurrogate, byte != UInt8(ascii: "\\") { blankUnit(endingBefore: 0) }
        switch byte {
        case UInt8(ascii: "\""):
            token = .none
            keep(byte)
            guard isName else { return try endValue() }
            try endName()
        case UInt8(ascii: "\\"):
            token = .escape
            keepContent(byte, startsCharacter: !needsLowSurrogate)
        case 0x00..<0x20: throw malformed("control characters to be escaped")
        case 0x20..<0x80: keepContent(byte, startsCharacter: true)
        default:
            token = try multibyte(byte)
            keepContent(byte, startsCharacter: true)
        }
    }

    /// What has to follow the first byte of a character (RFC 3629 section 4).
    private func multibyte(_ lead: UInt8) throws(JSONError) -> Token {
        switch lead {
        case 0xC2...0xDF: .multibyte(left: 1, low: 0x80, high: 0xBF)
        case 0xE0: .multibyte(left: 2, low: 0xA0, high: 0xBF)
        case 0xE1...0xEC, 0xEE, 0xEF: .multibyte(left: 2, low: 0x80, high: 0xBF)
        case 0xED: .multibyte(left: 2, low: 0x80, high: 0x9F)
        case 0xF0: .multibyte(left: 3, low: 0x90, high: 0xBF)
        case 0xF1...0xF3: .multibyte(left: 3, low: 0x80, high: 0xBF)
        case 0xF4: .multibyte(left: 3, low: 0x80, high: 0x8F)
        default: throw malformed("UTF-8")
        }
    }

    private mutating func takeEscape(_ byte: UInt8) throws(JSONError) {
        switch byte {
        case UInt8(ascii: "u"): token = .hexadecimal(left: 4, unit: 0)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            // The backslash is kept already.
            if needsLowSurrogate { blankUnit(endingBefore: 1) }
            token = .string
        default: throw malformed("an escape")
        }
        keepContent(byte, startsCharacter: false)
    }

    private mutating func takeUnit(_ unit: UInt32) {
        let isLow = 0xDC00..<0xE000 ~= unit
        // The escape that has just come has six octets.
        if needsLowSurrogate, !isLow { blankUnit(endingBefore: 6) }
        if isLow, !needsLowSurrogate { blankUnit(endingBefore: 0) }
        needsLowSurrogate = 0xD800..<0xDC00 ~= unit
    }

    /// Makes half of a surrogate pair that is kept `\u0000`: the grammar allows it, but no text can have it.
    ///
    /// - Parameter count: How many octets have been kept after it.
    private mutating func blankUnit(endingBefore count: Int) {
        needsLowSurrogate = false
        guard let kept = capture, kept.stringBytes < .max else { return }
        let end = kept.bytes.count - count
        capture?.bytes.replaceSubrange((end - 4)..<end, with: Array("0000".utf8))
    }

    private mutating func endName() throws(JSONError) {
        expectation = .colon
        guard capture == nil, let last = frames.indices.last else { return }
        if text.contains(UInt8(ascii: "\\")) {
            let quoted = [UInt8(ascii: "\"")] + text + [UInt8(ascii: "\"")]
            // A name that was cut off at its limit may end within an escape; it is none that is looked for.
            frames[last].name = (try? JSONDocument(parsing: quoted).root.string()) ?? []
        } else {
            frames[last].name = text
        }
    }

    /// Keeps a byte of a string's content, unless the string is longer than anyone wants to know; it is cut between two
    /// characters.
    private mutating func keepContent(_ byte: UInt8, startsCharacter: Bool) {
        guard capture != nil else {
            if isName, text.count < 1024 { text.append(byte) }
            return
        }
        let length = capture?.stringBytes ?? 0
        if startsCharacter, length >= limits.stringBytes {
            capture?.stringBytes = .max
        } else if length < .max {
            capture?.stringBytes = length + 1
            capture?.bytes.append(byte)
        }
    }

    /// Keeps a byte of a wanted value.
    mutating func keep(_ byte: UInt8) {
        capture?.bytes.append(byte)
    }
}
