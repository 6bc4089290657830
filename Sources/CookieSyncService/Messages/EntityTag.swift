// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// A strong entity tag: a keyed hash in 16 hexadecimal digits.
///
/// Costs no heap allocation.
///
/// It covers the representation, whether the client takes gzip, the revision and the content. Whether an answer is
/// compressed follows from the content and from what the client takes, so two answers with one tag are the same
/// octets. The key keeps a tag from telling anything about the content.
struct EntityTag: Equatable {
    private var text = InlineArray<18, UInt8>(repeating: UInt8(ascii: "\""))

    init(_ hash: UInt64) {
        let first = Hexadecimal.digits(UInt32(truncatingIfNeeded: hash >> 32))
        let second = Hexadecimal.digits(UInt32(truncatingIfNeeded: hash))
        var bytes = text.mutableSpan
        bytes.withUnsafeMutableBytes {
            $0.storeBytes(of: first.littleEndian, toByteOffset: 1, as: UInt64.self)
            $0.storeBytes(of: second.littleEndian, toByteOffset: 9, as: UInt64.self)
        }
    }

    /// Calls a closure with the tag as it stands in a field, quotes included.
    func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        text.span.withUnsafeBufferPointer(body)
    }

    /// Whether the value of an `If-None-Match` field names the tag (RFC 9110 section 13.1.2), weakly or strongly.
    func isNamed(in field: UnsafeBufferPointer<UInt8>) -> Bool {
        withBytes { Self.isNamed($0, in: field) }
    }

    /// The same of any tag, given as it stands in a field.
    static func isNamed(
        _ tag: UnsafeBufferPointer<UInt8>, in field: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        if field.count == 1, field[0] == UInt8(ascii: "*") { return true }
        guard field.count >= tag.count else { return false }
        // The tag holds no quote but its own two, so where it stands in a list, it stands as an element.
        return (0...(field.count - tag.count)).contains { start in
            field[start..<start + tag.count].elementsEqual(tag)
        }
    }

    static func == (left: EntityTag, right: EntityTag) -> Bool {
        left.withBytes { first in right.withBytes { first.elementsEqual($0) } }
    }
}

/// Makes entity tags with a key that is drawn at start: after a restart, and on another node, a client's copy is
/// answered in full once more.
struct EntityTagSource: Sendable {
    private let hash: ContentHash

    init(key: SipHash.Key) {
        hash = ContentHash(key: key)
    }

    /// The tag of an answer.
    func tag(
        of content: UnsafeBufferPointer<UInt8>, representation: UInt8, takesGzip: Bool,
        revision: UInt64
    ) -> EntityTag {
        EntityTag(hash(revision, UInt64(representation) << 1 | (takesGzip ? 1 : 0), content))
    }
}

extension HTTPRequest {
    /// Whether the client holds the answer with this tag already.
    func holds(_ tag: EntityTag) -> Bool {
        guard field("If-None-Match") != nil else { return false }
        var isNamed = false
        forEachField { name, value in
            guard !isNamed, name.isNamed("if-none-match") else { return }
            isNamed = tag.isNamed(in: value)
        }
        return isNamed
    }
}
