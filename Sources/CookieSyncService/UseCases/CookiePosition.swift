// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// A cookie's place in the order of a list, and that place as an opaque cursor.
///
/// A cursor is the identity's five parts, each behind its length in two bytes, in URL-safe base 64.
struct CookiePosition: Comparable, Sendable {
    private let parts: [[UInt8]]

    init(of identity: CookieIdentity) {
        parts = [
            identity.domain, identity.path, identity.name, [identity.hostOnly ? 1 : 0],
            identity.partitionKey ?? [],
        ]
    }

    /// The place that a cursor stands for, or nil when it is none of ours.
    init?(cursor: [UInt8]) {
        guard let bytes = Base64.decode(cursor, .urlSafe) else { return nil }
        var rest = bytes[...]
        var parts: [[UInt8]] = []
        for _ in 0..<5 {
            guard rest.count >= 2 else { return nil }
            let count = Int(rest.removeFirst()) << 8 | Int(rest.removeFirst())
            guard rest.count >= count else { return nil }
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        guard rest.isEmpty else { return nil }
        self.parts = parts
    }

    /// The place as a cursor.
    ///
    /// No part of a stored cookie is longer than two bytes can say.
    var cursor: [UInt8] {
        var bytes: [UInt8] = []
        for part in parts {
            bytes.append(UInt8(truncatingIfNeeded: part.count >> 8))
            bytes.append(UInt8(truncatingIfNeeded: part.count))
            bytes += part
        }
        var text: [UInt8] = []
        Base64.encode(bytes, .urlSafe, to: &text)
        return text
    }

    static func < (left: CookiePosition, right: CookiePosition) -> Bool {
        for (first, second) in zip(left.parts, right.parts) where first != second {
            return first.lexicographicallyPrecedes(second)
        }
        return false
    }
}
