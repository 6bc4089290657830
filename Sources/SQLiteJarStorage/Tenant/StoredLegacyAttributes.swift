// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A cookie's legacy attributes in one column: an octet with a bit for each that is there (version, comment, its URL,
/// ports), the version's octet, then each text after its length in two octets, highest first.
enum StoredLegacyAttributes {
    static func encode(_ legacy: LegacyAttributes) -> [UInt8] {
        let texts = [legacy.comment, legacy.commentURL, legacy.port]
        var presence: UInt8 = legacy.version == nil ? 0 : 1
        for (index, text) in texts.enumerated() where text != nil { presence |= 2 << index }
        var bytes: [UInt8] = [presence]
        if let version = legacy.version { bytes.append(version) }
        for case let text? in texts {
            bytes.append(UInt8(truncatingIfNeeded: text.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: text.count))
            bytes += text
        }
        return bytes
    }

    static func decode(_ bytes: [UInt8]) throws(SQLiteError) -> LegacyAttributes {
        var rest = bytes[...]
        guard let presence = rest.popFirst(), presence < 16 else { throw damage }
        var version: UInt8?
        if presence & 1 != 0 {
            guard let octet = rest.popFirst() else { throw damage }
            version = octet
        }
        let texts = try (0..<3).map { index throws(SQLiteError) -> [UInt8]? in
            guard presence & 2 << index != 0 else { return nil }
            guard let high = rest.popFirst(), let low = rest.popFirst() else { throw damage }
            let count = Int(high) << 8 | Int(low)
            guard rest.count >= count else { throw damage }
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
        guard rest.isEmpty,
            let legacy = LegacyAttributes(
                version: version, comment: texts[0], commentURL: texts[1], port: texts[2])
        else { throw damage }
        return legacy
    }

    private static var damage: SQLiteError { .undecodable("the legacy attributes of a cookie") }
}
