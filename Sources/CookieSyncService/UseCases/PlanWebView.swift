// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Tells what a web view needs before it loads some pages.
struct PlanWebView: Sendable {
    /// The URLs of the pages as they were asked for, each with its request; nil for one that no cookie goes to.
    let pages: [(url: [UInt8], request: RequestContext?)]

    /// One page.
    struct Page {
        let url: [UInt8]
        /// Where the request goes; nil for a URL that no cookie goes to.
        let destination: CookieURL?
        let cookies: PageCookies
        let header: [UInt8]
        /// About the header; nil where there is nothing to tell about.
        let summary: HeaderSummary?
    }

    /// The same pages, of the hosts that the addresses of their URLs belong to.
    func actual(by hosts: HostTable) throws(ServiceError) -> PlanWebView {
        var actual: [(url: [UInt8], request: RequestContext?)] = []
        for (url, request) in pages { actual.append((url, try hosts.actual(request))) }
        return PlanWebView(pages: actual)
    }

    /// Whether a URL's host is an address, so that the tenant's table of hosts has to be asked first.
    var namesAddress: Bool { pages.contains { $0.request?.url.host.isAddress ?? false } }

    /// The pages, out of one state of the store.
    func run(on store: JarSnapshot.Store?, rules: CookieRules, now: Timestamp) -> [Page] {
        pages.map { url, request in
            var header: [UInt8] = []
            let summary = GetCookieHeader(request: request)
                .run(on: store, rules: rules, now: now, to: &header)
            return Page(
                url: url, destination: request?.url,
                cookies: PageCookies(
                    of: request, in: store?.state, rules: rules, now: now),
                header: header, summary: summary)
        }
    }
}
