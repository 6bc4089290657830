// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// The JSON of browser extensions (EditThisCookie, Cookie-Editor and others): an array of `chrome.cookies.Cookie`.
//
// `expirationDate` is in seconds with a fraction and absent for session cookies; `session` wins over it. `hostOnly`
// wins over the domain's leading dot. Members that are not known are ignored.
enum ExtensionFormat: CookieFileFormat {
    static let mediaType: StaticString = "application/json"

    static func recognises(_ file: [UInt8]) -> Bool {
        switch JSONFile.opening(of: file) {
        case (UInt8(ascii: "["), UInt8(ascii: "]")): true
        case (UInt8(ascii: "["), UInt8(ascii: "{")):
            // What has `expires` instead is the array of another tool, whose expiries would be lost here.
            JSONFile.contains(#""domain""#, in: file)
                && (JSONFile.contains(#""expirationDate""#, in: file)
                    || !JSONFile.contains(#""expires""#, in: file))
        default: false
        }
    }

    static func read(_ file: [UInt8]) throws(CookieFileError) -> [FileEntry] {
        let root = try JSONFile.parse(file)
        guard let elements = try? root.elements() else {
            throw .notTheFormat(detail: "The file is not an array of cookies.", offset: nil)
        }
        return elements.enumerated().map { index, element in
            FileEntry(
                position: .pointer("/\(index)"),
                content: Result { () throws(EntryFault) in try cookie(element) })
        }
    }

    private static func cookie(_ element: JSONValue) throws(EntryFault) -> FinishedCookie {
        guard let object = element.openObject else { throw .malformedEntry }
        guard let domain = try object.text("domain"), !domain.isEmpty else { throw .missingDomain }
        guard let name = try object.text("name") else { throw .missingName }
        guard let value = try object.text("value") else { throw .missingValue }
        return FinishedCookie(
            name: name, value: value, domain: domain, hostOnly: try object.flag("hostOnly"),
            path: try object.text("path") ?? Array("/".utf8),
            secure: try object.flag("secure") ?? false,
            httpOnly: try object.flag("httpOnly") ?? false, sameSite: try sameSite(object),
            partitionKey: try partitionKey(object), expires: try expiry(object), source: .imported)
    }

    private static func sameSite(_ object: JSONObject) throws(EntryFault) -> SameSite {
        guard let word = try object.text("sameSite") else { return .unset }
        switch String(decoding: word, as: UTF8.self).lowercased() {
        case "", "unspecified": return .unset
        case "no_restriction", "none": return .none
        case "lax": return .lax
        case "strict": return .strict
        default: throw .invalidMember
        }
    }

    private static func partitionKey(_ object: JSONObject) throws(EntryFault) -> [UInt8]? {
        guard let member = object["partitionKey"], !member.isNull else { return nil }
        if member.isString { return try object.text("partitionKey") }
        guard let key = member.openObject else { throw .invalidMember }
        return try key.text("topLevelSite")
    }

    private static func expiry(_ object: JSONObject) throws(EntryFault) -> Timestamp? {
        if try object.flag("session") ?? false { return nil }
        return try object.expiry("expirationDate")
    }

    static func write(_ cookies: [Cookie]) -> CookieFile {
        var file = CookieFile(bytes: [])
        var writer = JSONWriter()
        writer.beginArray()
        for cookie in cookies {
            let unwritable = JSONFile.unwritable(cookie)
            file.lost.formUnion(unwritable)
            guard unwritable.isEmpty else { continue }
            if cookie.wasSession { file.lost.insert(.wasSession) }
            file.lost.insert(.createdAt)
            append(cookie, to: &writer)
        }
        writer.endArray()
        file.bytes = writer.bytes
        return file
    }

    private static func append(_ cookie: Cookie, to writer: inout JSONWriter) {
        let identity = cookie.identity
        writer.beginObject()
        writer.name("domain")
        writer.string(JSONFile.dotted(identity))
        if let expires = cookie.expires {
            writer.name("expirationDate")
            writer.seconds(milliseconds: expires.milliseconds)
        }
        for (name, flag) in [
            ("hostOnly" as StaticString, identity.hostOnly), ("httpOnly", cookie.httpOnly),
            ("secure", cookie.secure), ("session", cookie.expires == nil),
        ] {
            writer.name(name)
            writer.bool(flag)
        }
        for (name, text) in [
            ("name" as StaticString, identity.name), ("value", cookie.value.bytes),
            ("path", identity.path), ("sameSite", Array(word(cookie.sameSite).utf8)),
            ("storeId", [UInt8(ascii: "0")]),
        ] {
            writer.name(name)
            writer.string(text)
        }
        if let key = identity.partitionKey {
            writer.name("partitionKey")
            writer.beginObject()
            writer.name("topLevelSite")
            writer.string(key)
            writer.endObject()
        }
        writer.endObject()
    }

    private static func word(_ sameSite: SameSite) -> String {
        switch sameSite {
        case .unset: "unspecified"
        case .none: "no_restriction"
        case .lax: "lax"
        case .strict: "strict"
        }
    }
}
