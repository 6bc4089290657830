// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// The JSON of browser extensions (EditThisCookie, Cookie-Editor and others): an array of `chrome.cookies.Cookie`, or an
// object that has it as its member `cookies`.
//
// `expirationDate` is in seconds with a fraction and absent for session cookies; `session` wins over it. `hostOnly`
// wins over the domain's leading dot. Members that are not known are ignored. What WebDriver gives is nearly the same,
// with the expiry as `expiry`.
enum ExtensionFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString { "application/json" }

    static func recognises(_ opening: FileOpening) -> Bool {
        guard let json = opening.json else { return false }
        guard json.isArray else {
            // A list of session cookies is known by what no other tool writes.
            return json.has("cookies", at: 1) && !json.has("origins", at: 1)
                && json.has("domain", at: 3)
                && (json.has("expirationDate", at: 3) || json.has("hostOnly", at: 3)
                    || json.has("storeId", at: 3))
        }
        // What has `expires` instead is the array of another tool, whose expiries would be lost here.
        return json.isEmptyArray
            || json.has("domain", at: 2)
                && (json.has("expirationDate", at: 2) || !json.has("expires", at: 2))
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        JSONFile.cookies(opening, cookie: cookie)
    }

    /// What an element describes, here and in all formats that have such cookies.
    @Sendable static func cookie(_ element: JSONValue) throws(EntryFault) -> FinishedCookie {
        guard let object = element.openObject else { throw .malformedEntry }
        // What Playwright and Puppeteer take may have a URL instead of domain and path.
        let origin = try object.text("url").map { URLOutline($0) }
        let domain = try object.text("domain").flatMap {
            $0.isEmpty ? nil : FileHost.withoutPort($0)
        }
        guard let host = domain ?? origin?.host else { throw .missingDomain }
        let path = try object.text("path").flatMap { $0.isEmpty ? nil : $0 }
        guard let name = try object.textOrNumber("name") else { throw .missingName }
        guard let value = try object.textOrNumber("value") else { throw .missingValue }
        return FinishedCookie(
            name: name, value: value, domain: host,
            hostOnly: domain == nil ? true : try object.flag("hostOnly"),
            path: path ?? (domain == nil ? origin?.defaultPath : nil) ?? Array("/".utf8),
            secure: try object.flag("secure") ?? false,
            httpOnly: try object.flag("httpOnly") ?? false, sameSite: try object.sameSite(),
            partitionKey: try object.partitionKey(), expires: try expiry(object),
            source: .imported)
    }

    private static func expiry(_ object: JSONObject) throws(EntryFault) -> Timestamp? {
        if try object.flag("session") ?? false { return nil }
        if object["expirationDate"] != nil { return try object.expiry("expirationDate") }
        return try object.expiry(object["expiry"] != nil ? "expiry" : "expires")
    }

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        LostAttributes(ofJSON: cookie)
    }

    struct Body: FileBody {
        private var isFirst = true

        init(_ cookies: inout CookieSelection, _ context: WritingContext) {}

        mutating func begin(into bytes: inout [UInt8]) {
            bytes.append(UInt8(ascii: "["))
        }

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            ExtensionFormat.append(cookie, to: &bytes)
        }

        mutating func end(into bytes: inout [UInt8]) {
            bytes.append(UInt8(ascii: "]"))
        }
    }

    /// Appends a cookie's object.
    static func append(_ cookie: Cookie, to bytes: inout [UInt8]) {
        let identity = cookie.identity
        bytes.appendJSON { writer in
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
