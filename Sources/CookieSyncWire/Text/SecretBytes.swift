// SPDX-License-Identifier: Apache-2.0

/// Bytes that must not be printed: the value of a cookie, or a header made of such values.
///
/// `description`, `debugDescription` and reflection show only a placeholder.
public struct SecretBytes: Hashable, Sendable {
    /// The bytes themselves.
    public let bytes: [UInt8]

    /// A secret made of these bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A placeholder.
    public var description: String { "<redacted>" }
    /// A placeholder.
    public var debugDescription: String { description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
