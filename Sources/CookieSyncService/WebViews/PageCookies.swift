// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// The cookies of one page: those that its script can set, and those that only the app around it can.
///
/// Together they are the cookies of the page's first request, in header order.
struct PageCookies: Sendable {
    /// One that no script can set.
    struct Native: Sendable {
        let cookie: Cookie
        let reason: NativeSetReasonWord
    }

    /// One that a script can set, with what it assigns.
    struct Scripted: Sendable {
        let cookie: Cookie
        let line: [UInt8]
    }

    /// The page's host; nil for a URL that no cookie goes to.
    let host: Host?
    private(set) var native: [Native] = []
    private(set) var scripted: [Scripted] = []

    /// The cookies that a store has for a request.
    init(
        of request: RequestContext?, in store: StoreState?, rules: CookieRules, now: Timestamp
    ) {
        host = request?.url.host
        guard let request, let store else { return }
        let matches = store.cookies.matches(
            for: request, rules: rules, now: now, matching: store.settings.matching)
        for cookie in matches {
            switch Self.line(of: cookie) {
            case .success(let line): scripted.append(Scripted(cookie: cookie, line: line))
            case .failure(let obstacle):
                native.append(Native(cookie: cookie, reason: obstacle.reason))
            }
        }
    }

    private struct Obstacle: Error {
        let reason: NativeSetReasonWord
    }

    /// What a script would assign.
    ///
    /// A name with the prefix `__Http-` or `__Host-Http-` needs no look of its own: it is stored only with HttpOnly.
    private static func line(of cookie: Cookie) -> Result<[UInt8], Obstacle> {
        if cookie.httpOnly { return .failure(Obstacle(reason: .httpOnly)) }
        if isRefused(cookie) { return .failure(Obstacle(reason: .syntax)) }
        guard let line = cookie.setCookieLine() else {
            return .failure(Obstacle(reason: .attributes))
        }
        // A script's strings are text; the browser stores their UTF-8.
        guard UTF8Text.isValid(line) else { return .failure(Obstacle(reason: .notUTF8)) }
        return .success(line)
    }

    /// Whether browsers drop it when a script sets it, although a response may (seen in Chromium 156).
    private static func isRefused(_ cookie: Cookie) -> Bool {
        let (name, value) = (cookie.identity.name, cookie.value.bytes)
        return name.contains(0x09) || value.contains(0x09)
            || name.isEmpty && value.contains(UInt8(ascii: "="))
    }

    /// Appends the script that sets what a script can, if it runs in a page of this host; nothing without a host.
    ///
    /// Every run sets the same. The cookies that are left out are named in a comment, percent-encoded octet by octet: no
    /// name can end the comment, and a search of a page's scripts for a name does not find it.
    func appendScript(to output: inout [UInt8]) {
        guard let host else { return }
        func append(_ text: StaticString) {
            text.withUTF8Buffer { output.append(contentsOf: $0) }
        }
        append("(function () {\n")
        if !native.isEmpty {
            append("  // Need a native set (names percent-encoded):")
            for native in native {
                output.append(UInt8(ascii: " "))
                ScriptText.appendPercentEncoded(native.cookie.identity.name, to: &output)
                append(" (")
                output.append(contentsOf: native.reason.rawValue.utf8)
                append(")")
            }
            append("\n")
        }
        // A page's host may end in a dot, and is the same as without.
        append("  if (typeof location !== \"undefined\" && ")
        append("String(location.hostname).replace(/\\.$/, \"\") !== ")
        ScriptText.appendLiteral(host.bytes, to: &output)
        append(") return;\n")
        for scripted in scripted {
            append("  document.cookie = ")
            ScriptText.appendLiteral(scripted.line, to: &output)
            append(";\n")
        }
        append("})();\n")
    }
}
