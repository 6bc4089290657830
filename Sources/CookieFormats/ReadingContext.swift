// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What the reading of a file depends on, beside the file.
public struct ReadingContext: Sendable {
    /// The time, which lifetimes in seconds count from.
    public var now: Timestamp
    /// The URL that answered, for the format `set-cookie`.
    public var url: [UInt8]?
    /// Whether what can be read of a file that is cut off is taken.
    public var takesPartial: Bool
    /// Opens what is encrypted; nil when no password was given.
    public var decrypt: (@Sendable (EncryptedFile) -> [UInt8]?)?

    /// A context.
    public init(
        now: Timestamp, url: [UInt8]? = nil, takesPartial: Bool = false,
        decrypt: (@Sendable (EncryptedFile) -> [UInt8]?)? = nil
    ) {
        self.now = now
        self.url = url
        self.takesPartial = takesPartial
        self.decrypt = decrypt
    }
}

/// What CookieCloud hands out: a text that only the password opens.
public struct EncryptedFile: Sendable {
    /// The two ways in which CookieCloud encrypts.
    public enum Mode: Sendable {
        /// AES-256-CBC in the form of OpenSSL's `enc`: `Salted__`, a salt, and a key that MD5 derives.
        case salted
        /// AES-128-CBC with an initialisation vector of zeros.
        case fixedVector
    }

    /// How it is encrypted.
    public let mode: Mode
    /// The octets, as they are after base 64.
    public let bytes: [UInt8]

    /// An encrypted text.
    public init(mode: Mode, bytes: [UInt8]) {
        self.mode = mode
        self.bytes = bytes
    }
}
