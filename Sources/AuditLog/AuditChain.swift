// SPDX-License-Identifier: Apache-2.0

import CCrypto
import CookieSyncWire

/// The key of an audit log's chain, which cannot be printed.
public struct AuditKey: Sendable, CustomStringConvertible, CustomReflectable {
    let bytes: [UInt8]

    /// The key that follows from a secret of the service.
    ///
    /// Nil when libcrypto fails.
    public init?(secret: [UInt8]) {
        let purpose = Array("cookiesync audit chain 1".utf8)
        let derived = AuditChain.hmac(purpose, key: secret)
        guard derived.count == AuditChain.macLength else { return nil }
        bytes = derived
    }

    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

// A log is lines of JSON. Each line begins with its number and the mac of the line before, and ends with its own, an
// HMAC-SHA-256 over everything before it. So a line that was changed, left out, put in or moved breaks the chain, unless
// whoever did it has the key; what was cut off at the end shows in the numbers that go on.
struct AuditChain {
    static let macLength = 32
    private static let macMember = Array(#","mac":""#.utf8)
    /// From the mac's member to the end of the line.
    private static let tailLength = macMember.count + 2 * macLength + 2

    /// The number of the last line.
    private(set) var sequence = 0
    /// Its mac in hexadecimal digits.
    private(set) var mac = [UInt8](repeating: UInt8(ascii: "0"), count: 2 * macLength)
    /// What the newest line with a mark says that the catalogue was.
    private(set) var mark: [UInt8]?
    private let key: AuditKey

    init(key: AuditKey) { self.key = key }

    /// The next line, with its line feed.
    mutating func append(_ record: AuditRecord) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("seq")
        writer.integer(sequence + 1)
        writer.name("prev")
        writer.string(mac)
        record.encode(to: &writer)
        let content = writer.bytes
        let own = Self.hexadecimal(Self.hmac(content, key: key.bytes))
        sequence += 1
        mac = own
        return content + Self.macMember + own + Array("\"}\n".utf8)
    }

    /// Takes a line, without its line feed; false when it does not continue the chain.
    ///
    /// What came before the first line may not be at hand: then the line's own word is taken for it.
    mutating func take(_ line: some RandomAccessCollection<UInt8>, isFirst: Bool) -> Bool {
        let line = Array(line)
        guard line.count > Self.tailLength else { return false }
        let content = Array(line.dropLast(Self.tailLength))
        guard line.dropFirst(content.count).starts(with: Self.macMember),
            line.suffix(2).elementsEqual(Array("\"}".utf8)),
            let head = Self.head(of: content)
        else { return false }
        let own = Array(line.dropLast(2).suffix(2 * Self.macLength))
        guard Self.areEqual(own, Self.hexadecimal(Self.hmac(content, key: key.bytes))) else {
            return false
        }
        guard isFirst || (head.sequence == sequence + 1 && head.previous == mac) else {
            return false
        }
        sequence = head.sequence
        mac = own
        mark = Self.mark(in: content) ?? mark
        return true
    }

    /// The number and the mac before, off the front of a line.
    private static func head(of content: [UInt8]) -> (sequence: Int, previous: [UInt8])? {
        let (start, middle) = (Array(#"{"seq":"#.utf8), Array(#","prev":""#.utf8))
        guard content.starts(with: start) else { return nil }
        let digits = content.dropFirst(start.count).prefix { 0x30..<0x3A ~= $0 }
        let rest = content.dropFirst(start.count + digits.count)
        guard rest.starts(with: middle),
            let sequence = DecimalDigits.parse(digits).flatMap(Int.init(exactly:))
        else { return nil }
        return (sequence, Array(rest.dropFirst(middle.count).prefix(2 * macLength)))
    }

    // A quote in a name is escaped, so nothing else than the member begins like this.
    private static func mark(in content: [UInt8]) -> [UInt8]? {
        let start = Array(#","catalogue":""#.utf8)
        guard let found = content.firstRange(of: start) else { return nil }
        return Array(content[found.upperBound...].prefix { $0 != UInt8(ascii: "\"") })
    }

    static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: macLength) { output, count in
            var written: UInt32 = 0
            let isDone =
                HMAC(
                    EVP_sha256(), key, Int32(key.count), message, message.count,
                    output.baseAddress, &written) != nil
            count = isDone ? Int(written) : 0
        }
    }

    private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && left.count == 2 * macLength
            && CRYPTO_memcmp(left, right, left.count) == 0
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }
}
