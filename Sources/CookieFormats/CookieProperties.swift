// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
public import Cookies

/// The properties of a cookie as they are written: strings, as `HTTPCookie(properties:)` takes all of them.
public struct CookieProperties {
    /// All but the expiry, in the order in which they are written.
    public private(set) var texts: [(key: StaticString, text: [UInt8])] = []
    /// The expiry; nil for a session cookie.
    public private(set) var expires: Timestamp?

    /// The properties of a cookie.
    public init(_ cookie: Cookie) {
        let identity = cookie.identity
        let yes = Array("TRUE".utf8)
        texts = [
            ("Name", identity.name), ("Value", cookie.value.bytes),
            ("Domain", JSONFile.dotted(identity)), ("Path", identity.path),
        ]
        if cookie.secure { texts.append(("Secure", yes)) }
        if cookie.httpOnly { texts.append(("HttpOnly", yes)) }
        switch cookie.sameSite {
        case .unset: break
        case .none: texts.append(("SameSite", Array("none".utf8)))
        case .lax: texts.append(("SameSite", Array("lax".utf8)))
        case .strict: texts.append(("SameSite", Array("strict".utf8)))
        }
        expires = cookie.expires
        if expires == nil { texts.append(("Discard", yes)) }
        if let key = identity.partitionKey { texts.append(("StoragePartition", key)) }
        guard let legacy = cookie.legacy else { return }
        if let version = legacy.version { texts.append(("Version", Array("\(version)".utf8))) }
        if let text = legacy.comment { texts.append(("Comment", text)) }
        if let text = legacy.commentURL { texts.append(("CommentURL", text)) }
        if let text = legacy.port { texts.append(("Port", text)) }
    }

    func appendJSON(to bytes: inout [UInt8]) {
        bytes.appendJSON { writer in
            writer.beginObject()
            for (key, text) in texts {
                writer.name(key)
                writer.string(text)
            }
            if let expires {
                writer.name("Expires")
                writer.time(expires.milliseconds)
            }
            writer.endObject()
        }
    }

    func appendXML(to bytes: inout [UInt8]) {
        bytes += Array("\t<dict>\n".utf8)
        for (key, text) in texts {
            bytes += Array("\t\t<key>\(key)</key>\n\t\t<string>".utf8)
            XMLPropertyList.append(text, to: &bytes)
            bytes += Array("</string>\n".utf8)
        }
        if let expires {
            bytes += Array("\t\t<key>Expires</key>\n\t\t<date>".utf8)
            RFC3339.append(milliseconds: expires.seconds * 1000, to: &bytes)
            bytes += Array("</date>\n".utf8)
        }
        bytes += Array("\t</dict>\n".utf8)
    }
}
