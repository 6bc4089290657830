// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The responses that one dump holds: the one that it begins with, and what followed it as `curl -siL` writes it.
///
/// A client that follows a redirect drops the redirect's content, and one that is asked for credentials that of the
/// question; the next head stands in its place. So a head is looked for after these responses only. After any other comes
/// content, which may look like a head but was not said by the server.
struct ResponseChain {
    /// One response.
    struct Link {
        /// The URL that answered.
        let url: RequestURL
        /// The method of its request.
        let method: [UInt8]
        /// How its request related to the page that the first one came from.
        let sameSiteContext: SameSiteContext
        /// What it said.
        let head: ResponseHead
    }

    /// The responses in their order, at least one.
    let links: [Link]

    /// Reads a message whose first response is of this URL.
    ///
    /// - Throws: as `ResponseHead` does.
    init(
        of message: UnsafeBufferPointer<UInt8>, url: RequestURL,
        method: [UInt8], sameSiteContext: SameSiteContext, rules: CookieRules
    ) throws(Problem) {
        var lines = MessageLines(of: message)
        var links: [Link] = []
        var current = (url: url, method: method, context: sameSiteContext)
        while links.isEmpty || ResponseHead.comesNext(in: lines) {
            let head = try ResponseHead(from: &lines)
            links.append(
                Link(
                    url: current.url, method: current.method, sameSiteContext: current.context,
                    head: head))
            guard ![401, 407].contains(head.status) else { continue }
            let redirect = Redirect(
                after: RedirectResponse(
                    url: current.url, method: current.method, sameSiteContext: current.context,
                    status: head.status,
                    locations: head.fields.filter { $0.isNamed("location") }.map {
                        Array($0.secretValue)
                    },
                    redirectCount: links.count - 1),
                rules: rules)
            guard case .follow(let next) = redirect else { break }
            current = (next.url, next.method, next.sameSiteContext)
        }
        self.links = links
    }
}
