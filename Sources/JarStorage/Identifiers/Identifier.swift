// SPDX-License-Identifier: Apache-2.0

/// The name of a tenant, a jar or a store.
///
/// One that exists is valid, so nothing checks it again.
///
/// Names are octets of ASCII: they are compared and hashed as bytes, never as text.
public protocol Identifier: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name's octets.
    var bytes: [UInt8] { get }

    /// The identifier with this name, or nil when the name breaks the rule.
    init?(_ bytes: UnsafeBufferPointer<UInt8>)

    /// The rule that every such name keeps, as a sentence for whoever sent another one.
    static var rule: String { get }
}

extension Identifier {
    /// The identifier with this name, or nil when the name breaks the rule.
    ///
    /// Inlinable, so that it is compiled for the collection at hand: otherwise each octet is fetched through tables.
    @inlinable
    public init?(_ bytes: some Collection<UInt8>) {
        // What is longer than any name is none, however long it is.
        let name = Array(bytes.prefix(256))
        guard let identifier = name.withUnsafeBufferPointer(Self.init(_:)) else { return nil }
        self = identifier
    }

    /// Orders by the names' bytes.
    public static func < (left: Self, right: Self) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// The name as text.
    public var description: String { String(decoding: bytes, as: UTF8.self) }
}

/// The octets that names are made of.
enum IdentifierOctets {
    static func isLowercaseAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }

    static func isTenantOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
        default: isLowercaseAlphanumeric(byte)
        }
    }

    /// An octet of the name of a jar or of a store.
    static func isNameOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "~"), UInt8(ascii: "@"),
            UInt8(ascii: ":"), UInt8(ascii: "+"):
            true
        default: isTenantOctet(byte)
        }
    }

    /// Whether `name` is a well-formed name of a jar or a store with at most `limit` octets.
    static func isName(_ name: UnsafeBufferPointer<UInt8>, limit: Int) -> Bool {
        let count = name.count
        guard count >= 1, count <= limit, name.allSatisfy(isNameOctet) else { return false }
        return !(count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") })
    }
}
