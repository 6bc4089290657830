// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// The storage state of Playwright: an object with `cookies` and, for local storage, `origins`; or the bare array that
// its `context.cookies()` gives.
//
// `expires` is in seconds with a fraction, -1 for a session cookie. A leading dot of the domain says that hosts below it
// get the cookie. There is no word for a cookie without SameSite; it is written as Lax, which browsers take it for.
enum PlaywrightFormat: CookieFileFormat {
    static let mediaType: StaticString = "application/json"

    static func recognises(_ file: [UInt8]) -> Bool {
        switch JSONFile.opening(of: file) {
        case (UInt8(ascii: "{"), UInt8(ascii: "\"")):
            JSONFile.contains(#""cookies""#, in: file) && JSONFile.contains(#""origins""#, in: file)
        case (UInt8(ascii: "["), UInt8(ascii: "{")):
            JSONFile.contains(#""domain""#, in: file) && JSONFile.contains(#""expires""#, in: file)
        default: false
        }
    }

    static func read(_ file: [UInt8]) throws(CookieFileError) -> [FileEntry] {
        let root = try JSONFile.parse(file)
        if let cookies = try? root.elements() { return entries(cookies, at: "") }
        guard let object = root.openObject, let cookies = try? object["cookies"]?.elements() else {
            throw .notTheFormat(
                detail: "The file is not an object with an array `cookies`.", offset: nil)
        }
        let origins = (try? object["origins"]?.elements()) ?? []
        return entries(cookies, at: "/cookies")
            + origins.indices.map { index in
                FileEntry(position: .pointer("/origins/\(index)"), content: .failure(.localStorage))
            }
    }

    private static func entries(_ cookies: [JSONValue], at pointer: String) -> [FileEntry] {
        cookies.enumerated().map { index, element in
            FileEntry(
                position: .pointer("\(pointer)/\(index)"),
                content: Result { () throws(EntryFault) in try cookie(element) })
        }
    }

    private static func cookie(_ element: JSONValue) throws(EntryFault) -> FinishedCookie {
        guard let object = element.openObject else { throw .malformedEntry }
        guard let domain = try object.text("domain"), !domain.isEmpty else { throw .missingDomain }
        guard let name = try object.text("name") else { throw .missingName }
        guard let value = try object.text("value") else { throw .missingValue }
        return FinishedCookie(
            name: name, value: value, domain: domain,
            path: try object.text("path") ?? Array("/".utf8),
            secure: try object.flag("secure") ?? false,
            httpOnly: try object.flag("httpOnly") ?? false, sameSite: try sameSite(object),
            partitionKey: try object.text("partitionKey"),
            expires: try object.expiry("expires"), source: .imported)
    }

    private static func sameSite(_ object: JSONObject) throws(EntryFault) -> SameSite {
        guard let word = try object.text("sameSite") else { return .unset }
        switch String(decoding: word, as: UTF8.self) {
        case "None": return .none
        case "Lax": return .lax
        case "Strict": return .strict
        default: throw .invalidMember
        }
    }

    static func write(_ cookies: [Cookie]) -> CookieFile {
        var file = CookieFile(bytes: [])
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("cookies")
        writer.beginArray()
        for cookie in cookies {
            let unwritable = JSONFile.unwritable(cookie)
            file.lost.formUnion(unwritable)
            guard unwritable.isEmpty else { continue }
            if cookie.sameSite == .unset { file.lost.insert(.sameSite) }
            if cookie.wasSession { file.lost.insert(.wasSession) }
            file.lost.insert(.createdAt)
            append(cookie, to: &writer)
        }
        writer.endArray()
        writer.name("origins")
        writer.beginArray()
        writer.endArray()
        writer.endObject()
        file.bytes = writer.bytes
        return file
    }

    private static func append(_ cookie: Cookie, to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, text) in [
            ("name" as StaticString, cookie.identity.name), ("value", cookie.value.bytes),
            ("domain", JSONFile.dotted(cookie.identity)), ("path", cookie.identity.path),
            ("sameSite", Array(word(cookie.sameSite).utf8)),
        ] {
            writer.name(name)
            writer.string(text)
        }
        writer.name("expires")
        writer.seconds(milliseconds: cookie.expires?.milliseconds ?? -1000)
        writer.name("httpOnly")
        writer.bool(cookie.httpOnly)
        writer.name("secure")
        writer.bool(cookie.secure)
        if let key = cookie.identity.partitionKey {
            writer.name("partitionKey")
            writer.string(key)
        }
        writer.endObject()
    }

    private static func word(_ sameSite: SameSite) -> String {
        switch sameSite {
        case .none: "None"
        case .unset, .lax: "Lax"
        case .strict: "Strict"
        }
    }
}
