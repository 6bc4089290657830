// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// What a format cannot hold of a cookie; documented in docs/formats.md.
public struct LostAttributes: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt16

    /// A set made of bits.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// A name that the format has no way to write; the cookie is left out.
    public static let name = LostAttributes(rawValue: 1 << 0)
    /// A value that the format has no way to write; the cookie is left out.
    public static let value = LostAttributes(rawValue: 1 << 1)
    /// A domain that the URL cannot set; the cookie is left out.
    public static let domain = LostAttributes(rawValue: 1 << 2)
    /// A path that the format has no way to write; the cookie is left out.
    public static let path = LostAttributes(rawValue: 1 << 3)
    /// The partition; the cookie is left out, since without it more sites would see it.
    public static let partitionKey = LostAttributes(rawValue: 1 << 4)
    /// That it is for secure connections only, which an insecure URL cannot set; the cookie is left out.
    public static let secure = LostAttributes(rawValue: 1 << 5)
    /// The SameSite attribute.
    public static let sameSite = LostAttributes(rawValue: 1 << 6)
    /// The part of the expiry below a second.
    public static let expiresFraction = LostAttributes(rawValue: 1 << 7)
    /// Version, comment, its URL and ports.
    public static let legacy = LostAttributes(rawValue: 1 << 8)
    /// The creation time; the order of creation is that of the file.
    public static let createdAt = LostAttributes(rawValue: 1 << 9)
    /// That a session cookie was made persistent.
    public static let wasSession = LostAttributes(rawValue: 1 << 10)

    /// Every attribute with its name in the API.
    public static let all: [(attribute: LostAttributes, name: String)] = [
        (.name, "name"), (.value, "value"), (.domain, "domain"), (.path, "path"),
        (.partitionKey, "partition_key"), (.secure, "secure"), (.sameSite, "same_site"),
        (.expiresFraction, "expires_fraction"), (.legacy, "legacy"), (.createdAt, "created_at"),
        (.wasSession, "was_session"),
    ]

    /// Whether the cookie as a whole is left out.
    public var isWhole: Bool { !isDisjoint(with: .whole) }

    /// Those without which there is no cookie.
    static let whole: LostAttributes = [.name, .value, .domain, .path, .partitionKey, .secure]

    /// The names of those that are in it.
    public var names: [String] {
        Self.all.filter { contains($0.attribute) }.map(\.name)
    }

    /// What every format loses of a cookie.
    init(of cookie: Cookie) {
        self = .createdAt
        if cookie.wasSession { insert(.wasSession) }
        if cookie.legacy != nil { insert(.legacy) }
    }

    /// What every format in JSON loses: what is not UTF-8 is no string there.
    init(ofJSON cookie: Cookie) {
        self.init(of: cookie)
        if !UTF8Text.isValid(cookie.identity.name) { insert(.name) }
        if !UTF8Text.isValid(cookie.value.bytes) { insert(.value) }
        if !UTF8Text.isValid(cookie.identity.path) { insert(.path) }
    }
}
