// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Tells the `Cookie` header of a request (design section 2.2).
///
/// Remembered, and handed out for every request that asks the same: a copy takes one reference.
struct GetCookieHeader: Sendable {
    /// The request; nil for a URL that no cookie goes to.
    let request: RequestContext?

    /// Whether the URL's host is an address, so that the tenant's table of hosts has to be asked first.
    var namesAddress: Bool { request?.url.host.isAddress ?? false }

    /// The same question about the host that the URL's address belongs to.
    func actual(by hosts: HostTable) throws(ServiceError) -> GetCookieHeader {
        namesAddress ? GetCookieHeader(request: try hosts.actual(request)) : self
    }

    /// Appends the header's value and tells about it; nil, and nothing, where there is no store or no request.
    ///
    /// - Complexity: That of `CookieStore.appendCookieHeader`.
    func run(
        on store: JarSnapshot.Store?, rules: CookieRules, now: Timestamp,
        to output: inout [UInt8]
    ) -> HeaderSummary? {
        // `map` lends what is there; a binding would take references to it and to its parts, which all loops share.
        request.flatMap { request in
            store.map {
                $0.state.cookies.appendCookieHeader(
                    for: request, rules: rules, now: now, matching: $0.state.settings.matching,
                    to: &output)
            }
        }
    }
}

/// Tells of every cookie of a store whether a request carries it, and why not (design section 2.2).
struct ExplainCookies: Sendable {
    /// The request; nil for a URL that no cookie goes to.
    let request: RequestContext?

    /// A verdict for each cookie, in header order.
    func run(on store: StoreState?, rules: CookieRules, now: Timestamp) -> [RetrievalVerdict] {
        guard let request, let store else { return [] }
        return store.cookies.explain(
            for: request, rules: rules, now: now, matching: store.settings.matching)
    }
}

extension JarSnapshot {
    /// The revision that an answer about a store is of: zero as long as nobody has written to the store.
    func revision(for store: JarSnapshot.Store?) -> UInt64 {
        store == nil ? 0 : state.revision.rawValue
    }
}
