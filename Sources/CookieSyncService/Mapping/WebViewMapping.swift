// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire
import Cookies

extension WebViewPlanBody {
    init(_ pages: [PlanWebView.Page], revision: UInt64, rules: CookieRules) {
        var native: [NativeCookieBody] = []
        var known: Set<CookieIdentity> = []
        var script: [UInt8] = []
        for page in pages {
            page.cookies.appendScript(to: &script)
            guard let destination = page.destination else { continue }
            for entry in page.cookies.native where known.insert(entry.cookie.identity).inserted {
                native.append(NativeCookieBody(entry, at: destination, rules: rules))
            }
        }
        self.init(
            revision: revision, native: native,
            requests: pages.map {
                CookieHeaderBody(
                    url: $0.url, cookie: SecretBytes($0.header), count: $0.summary?.count ?? 0,
                    expiresAt: $0.summary?.expiresAt?.milliseconds)
            }, script: SecretBytes(script))
    }
}

extension NativeCookieBody {
    fileprivate init(_ native: PageCookies.Native, at page: CookieURL, rules: CookieRules) {
        let body = CookieBody(native.cookie, showingValue: true)
        self.init(
            identity: body.identity, reason: native.reason,
            properties: NSHTTPCookieBody(native.cookie),
            android: AndroidCall(native.cookie, at: page, rules: rules))
    }
}

extension NativeCookieBody.AndroidCall {
    /// What sets a cookie for a page; nil where no line can, or where it is no text.
    ///
    /// A path that cannot stand in an attribute can still be what the URL makes the default.
    fileprivate init?(_ cookie: Cookie, at page: CookieURL, rules: CookieRules) {
        let origin = Array("\(page.scheme.isSecure ? "https" : "http")://".utf8) + page.host.bytes
        if let line = cookie.setCookieLine() {
            guard UTF8Text.isValid(line) else { return nil }
            self.init(url: origin + [UInt8(ascii: "/")], line: SecretBytes(line))
            return
        }
        let path = cookie.identity.path + [UInt8(ascii: "/")]
        guard let line = cookie.setCookieLine(hasPath: false), UTF8Text.isValid(line),
            let url = try? CookieURL(parsing: origin + path, names: rules.names), url.path == path
        else { return nil }
        self.init(url: origin + path, line: SecretBytes(line))
    }
}

extension NSHTTPCookieBody {
    /// The dictionary of a cookie, as an export has it.
    ///
    /// Nil for one that it cannot hold: bytes that are no text, or a partition, which Foundation has no public key for.
    fileprivate init?(_ cookie: Cookie) {
        guard cookie.identity.partitionKey == nil else { return nil }
        let cookie = CookieProperties(cookie)
        var properties = cookie.texts.map { Property(name: $0.key, text: SecretBytes($0.text)) }
        if let expires = cookie.expires {
            var text: [UInt8] = []
            RFC3339.append(milliseconds: expires.milliseconds, to: &text)
            properties.append(Property(name: "Expires", text: SecretBytes(text)))
        }
        guard properties.allSatisfy({ UTF8Text.isValid($0.text.bytes) }) else { return nil }
        self.init(properties: properties)
    }
}
