// SPDX-License-Identifier: Apache-2.0

/// How a file begins: what its format is found out by, before the rest of it has come.
struct FileOpening {
    /// How much of a file is looked at.
    static let size = 64 << 10

    /// The first octets, without a byte order mark.
    let bytes: [UInt8]
    /// Whether these are all of them.
    let isWhole: Bool
    /// What its JSON looks like, if it is some.
    let json: JSONOpening?

    init(_ bytes: [UInt8], isWhole: Bool) {
        self.bytes = bytes
        self.isWhole = isWhole
        json = JSONOpening(bytes)
    }

    /// Whether it has the byte order mark of UTF-16.
    var isUTF16: Bool { bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) }

    /// Whether it begins so.
    func begins(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.starts(with: $0) }
    }
}

/// The outline of a text that begins like JSON: the names of members near its root.
///
/// A look, not a check: what is not JSON has some outline, too.
struct JSONOpening {
    /// Whether the root is an array.
    let isArray: Bool
    /// Whether it is `[]`.
    let isEmptyArray: Bool
    /// The names of members by the depth of their object: those of the root object at 1.
    private(set) var names: [[[UInt8]]] = [[], [], [], [], []]

    private static let maximumNames = 256

    init?(_ bytes: [UInt8]) {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        guard let first = bytes.firstIndex(where: { !blanks.contains($0) }),
            bytes[first] == UInt8(ascii: "{") || bytes[first] == UInt8(ascii: "[")
        else { return nil }
        isArray = bytes[first] == UInt8(ascii: "[")
        let second = bytes[(first + 1)...].first { !blanks.contains($0) }
        isEmptyArray = isArray && second == UInt8(ascii: "]")
        collect(bytes[first...])
    }

    /// Whether an object at some depth has a member of this name.
    func has(_ name: StaticString, at depth: Int) -> Bool {
        names[depth].contains { candidate in
            name.withUTF8Buffer { candidate.elementsEqual($0) }
        }
    }

    private mutating func collect(_ bytes: ArraySlice<UInt8>) {
        var depth = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                let end = Self.endOfString(bytes, from: index + 1)
                let after = bytes[min(end + 1, bytes.endIndex)...].first {
                    $0 != 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D
                }
                if after == UInt8(ascii: ":"), names.indices.contains(depth),
                    names[depth].count < Self.maximumNames
                {
                    names[depth].append(Array(bytes[(index + 1)..<min(end, bytes.endIndex)]))
                }
                index = end
            default: break
            }
            index += 1
        }
    }

    private static func endOfString(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
        var index = start
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "\"") { return index }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return bytes.endIndex
    }
}
