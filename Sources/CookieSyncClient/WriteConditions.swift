// SPDX-License-Identifier: Apache-2.0

/// What must hold for a write to be made.
public struct WriteConditions: Sendable {
    /// The revision that the jar must be at; nil for any.
    ///
    /// Otherwise nothing is written, and the call fails with `conflict`.
    public var revision: UInt64?
    /// Names the write, so that it is made once however often it is sent; nil for none.
    ///
    /// A fresh, unguessable text for each write. With it a write is repeated where no answer came.
    public var idempotencyKey: String?

    /// Conditions.
    public init(revision: UInt64? = nil, idempotencyKey: String? = nil) {
        self.revision = revision
        self.idempotencyKey = idempotencyKey
    }

    /// No condition.
    public static let none = WriteConditions()

    /// Made once, however often it is sent: a key of 128 random bits.
    public static var once: WriteConditions {
        let high = String(UInt64.random(in: .min ... .max), radix: 16)
        let low = String(UInt64.random(in: .min ... .max), radix: 16)
        return WriteConditions(idempotencyKey: "\(high)-\(low)")
    }
}

/// A bearer token: a secret, so it cannot be printed.
public struct ClientToken: Sendable, CustomStringConvertible, CustomReflectable {
    let text: String

    /// A token; nil when the text is none (RFC 6750 section 2.1).
    public init?(_ text: String) {
        let isToken = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-._~+/=".utf8.contains(byte)
            }
        }
        guard isToken, !text.isEmpty else { return nil }
        self.text = text
    }

    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
