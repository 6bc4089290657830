// SPDX-License-Identifier: Apache-2.0

/// The octets of a cookie's value: a secret, so it cannot be printed.
///
/// `description`, `debugDescription` and reflection show only a placeholder. Code that has to emit
/// the value asks for `bytes`, which makes each such place easy to find.
public struct CookieValue: Hashable, Sendable {
    /// The value's octets, exactly as they came in.
    public let bytes: [UInt8]

    /// A value made of these octets.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension CookieValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
