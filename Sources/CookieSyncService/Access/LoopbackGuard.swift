// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// Keeps web pages away from an open service.
///
/// A service without tokens trusts whoever reaches it on loopback. A browser on that machine reaches it as well, on
/// behalf of any page: by DNS rebinding, where the page's own name leads to 127.0.0.1 and shows in `Host`; or by a
/// form or `fetch` across sites, which show in `Origin` or `Sec-Fetch-Site`. Other programs send neither.
enum LoopbackGuard {
    /// Checks where a request says it goes to and comes from.
    ///
    /// - Throws: `forbidden`, when the host is no loopback name or a foreign page sent the request.
    static func check(_ head: HTTPRequest) throws(Problem) {
        guard let authority = head.authority, isLoopback(authority) else {
            throw Problem(
                .forbidden,
                "Without an admin token the service answers only to a loopback name in `Host`.")
        }
        if let origin = head.field("Origin"), !isLoopbackOrigin(origin) {
            throw foreignPage
        }
        if let site = head.field("Sec-Fetch-Site"), site.isNamed("cross-site") {
            throw foreignPage
        }
    }

    private static var foreignPage: Problem {
        Problem(
            .forbidden, "Without an admin token the service answers no web page of another site.")
    }

    private static func isLoopbackOrigin(_ origin: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let colon = origin.firstIndex(of: UInt8(ascii: ":")), colon + 3 <= origin.count,
            origin.slice(colon..<colon + 3).equals("://")
        else { return false }
        let authority = origin.slice(colon + 3..<origin.count)
        return authority.allSatisfy(isAuthorityOctet) && isLoopback(authority)
    }

    // Nothing that could end a host, so that no path or user name is taken for the end of one.
    private static func isAuthorityOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: byte.isDigit
        }
    }

    /// Whether the host of an authority is `localhost`, a name below it, 127.0.0.0/8 or `[::1]`.
    ///
    /// The rare other spellings of those addresses are not taken for them.
    static func isLoopback(_ authority: UnsafeBufferPointer<UInt8>) -> Bool {
        let host = authority.slice(0..<hostEnd(of: authority))
        // Nearly all are this one.
        if host.equals("127.0.0.1") { return true }
        if host.equals("[::1]") || host.isNamed("localhost") { return true }
        if host.count > 10, host.slice(host.count - 10..<host.count).isNamed(".localhost") {
            return true
        }
        return isLoopbackIPv4(host)
    }

    private static func hostEnd(of authority: UnsafeBufferPointer<UInt8>) -> Int {
        var index = authority.count
        while index > 0, authority[index - 1].isDigit { index -= 1 }
        return index > 0 && authority[index - 1] == UInt8(ascii: ":") ? index - 1 : authority.count
    }

    private static func isLoopbackIPv4(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard 4...15 ~= host.count, host.slice(0..<4).equals("127.") else { return false }
        var parts = 0
        var isAddress = true
        host.forEachPiece(separatedBy: UInt8(ascii: ".")) { part in
            parts += 1
            let isPart = 1...3 ~= part.count && part.allSatisfy(\.isDigit)
            if !isPart { isAddress = false }
        }
        return isAddress && parts == 4
    }
}
