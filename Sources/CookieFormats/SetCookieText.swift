// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A cookie as the value of a Set-Cookie field.
struct SetCookieText {
    var name: [UInt8] = []
    var value: [UInt8] = []
    /// Without it, the cookie is for the host that answers alone.
    var domain: [UInt8]?
    var path: [UInt8]?
    var expires: Timestamp?
    var secure = false
    var httpOnly = false
    var sameSite = SameSite.unset
    var isPartitioned = false

    /// The text that sets a cookie, sent by its host.
    init(_ cookie: Cookie) {
        name = cookie.identity.name
        value = cookie.value.bytes
        domain = cookie.identity.hostOnly ? nil : cookie.identity.domain
        path = cookie.identity.path
        expires = cookie.expires
        secure = cookie.secure
        httpOnly = cookie.httpOnly
        sameSite = cookie.sameSite
        isPartitioned = cookie.identity.partitionKey != nil
    }

    init() {}

    /// Whether nothing in it would end the text or the attribute that it stands in.
    var isWritable: Bool {
        [name, value, domain ?? [], path ?? []].allSatisfy { text in
            !text.contains { $0 == UInt8(ascii: ";") || $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }
        } && !name.contains(UInt8(ascii: "="))
    }

    /// Appends the text.
    func append(to bytes: inout [UInt8]) {
        bytes += name
        bytes.append(UInt8(ascii: "="))
        bytes += value
        if let domain { bytes += Array("; Domain=".utf8) + domain }
        if let path { bytes += Array("; Path=".utf8) + path }
        if let expires {
            bytes += Array("; Expires=".utf8)
            CookieDate.append(expires, to: &bytes)
        }
        if secure { bytes += Array("; Secure".utf8) }
        if httpOnly { bytes += Array("; HttpOnly".utf8) }
        switch sameSite {
        case .unset: break
        case .none: bytes += Array("; SameSite=None".utf8)
        case .lax: bytes += Array("; SameSite=Lax".utf8)
        case .strict: bytes += Array("; SameSite=Strict".utf8)
        }
        if isPartitioned { bytes += Array("; Partitioned".utf8) }
    }
}
