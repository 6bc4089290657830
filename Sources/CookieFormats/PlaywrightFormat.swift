// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// The storage state of Playwright: an object with `cookies` and, for local storage, `origins`; or the bare array that
// its `context.cookies()` gives.
//
// `expires` is in seconds with a fraction, -1 for a session cookie. A leading dot of the domain says that hosts below it
// get the cookie. There is no word for a cookie without SameSite; it is written as Lax, which browsers take it for.
enum PlaywrightFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString { "application/json" }

    static func recognises(_ opening: FileOpening) -> Bool {
        guard let json = opening.json else { return false }
        if json.isArray { return json.has("domain", at: 2) && json.has("expires", at: 2) }
        return json.has("cookies", at: 1)
            && (json.has("origins", at: 1) || json.has("domain", at: 3)
                || json.names[3].isEmpty)
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        let origins = JSONPlace([.member("origins"), .any], needsContent: false)
        return JSONFile.cookies(
            opening, others: [(place: origins, fault: .localStorage)],
            cookie: ExtensionFormat.cookie)
    }

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        var lost = LostAttributes(ofJSON: cookie)
        if cookie.sameSite == .unset { lost.insert(.sameSite) }
        return lost
    }

    struct Body: FileBody {
        private var isFirst = true

        init(_ cookies: inout CookieSelection, _ context: WritingContext) {}

        mutating func begin(into bytes: inout [UInt8]) {
            bytes += Array(#"{"cookies":["#.utf8)
        }

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            PlaywrightFormat.append(cookie, to: &bytes)
        }

        mutating func end(into bytes: inout [UInt8]) {
            bytes += Array(#"],"origins":[]}"#.utf8)
        }
    }

    private static func append(_ cookie: Cookie, to bytes: inout [UInt8]) {
        bytes.appendJSON { writer in
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
    }

    private static func word(_ sameSite: SameSite) -> String {
        switch sameSite {
        case .none: "None"
        case .unset, .lax: "Lax"
        case .strict: "Strict"
        }
    }
}
