// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Takes the cookies of a chain of responses into a store, and tells the request that comes next (`POST S/exchange`).
struct ExchangeResponses: Sendable {
    /// One response of the chain, as it was handed in.
    struct Response: Sendable {
        /// The URL that answered.
        let url: RequestURL
        /// The request's method; nil for what the response before led to, or GET.
        let method: [UInt8]?
        /// How the request related to its page; nil for what the response before led to, or the same site.
        let sameSiteContext: SameSiteContext?
        /// The response's status.
        let status: Int
        /// The values of its `Location` fields.
        let locations: [[UInt8]]
        /// How many redirects came before it.
        let redirectCount: Int
        /// Where the lines come from.
        let context: ResponseContext
        /// The Set-Cookie lines.
        let lines: SetCookieLines
    }

    /// One response of the chain, with where it leads.
    struct Hop: Sendable {
        /// The URL that answered, of the host that it is of.
        let url: RequestURL
        /// Where the lines come from.
        let context: ResponseContext
        /// The Set-Cookie lines.
        let lines: SetCookieLines
        /// Where the response leads.
        let redirect: Redirect

        /// The request that it leads to.
        var next: NextRequest? {
            guard case .follow(let next) = redirect else { return nil }
            return next
        }

        /// Follows a response after the one before it.
        init(
            _ response: Response, after before: NextRequest?, hosts: HostTable, rules: CookieRules
        ) throws(ServiceError) {
            let url = response.url.acting(as: try hosts.actual(host: response.url.base.host))
            var context = try hosts.actual(response.context)
            context.sameSiteContext =
                response.sameSiteContext ?? before?.sameSiteContext ?? .strict
            redirect = try Redirect(
                after: RedirectResponse(
                    url: url, method: response.method ?? before?.method ?? Array("GET".utf8),
                    sameSiteContext: context.sameSiteContext, status: response.status,
                    locations: response.locations, redirectCount: response.redirectCount),
                rules: rules
            ) { target throws(ServiceError) in
                try hosts.actual(host: target, expecting: url.base.host)
            }
            self.url = url
            self.context = context
            lines = response.lines
        }
    }

    /// What came of it.
    struct Answer: Sendable {
        /// The responses, with where each led.
        let hops: [Hop]
        /// The verdicts of each response.
        let verdicts: [[Verdict]]
        /// The `Cookie` header of the next request.
        let header: [UInt8]
        /// What it holds; nil without a next request.
        let summary: HeaderSummary?
    }

    /// The responses in their order, at least one.
    let responses: [Response]
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Applies every line in order and reads the header, all in one transaction.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        let responses = responses
        changeJar(
            address, in: storage, rules: rules, now: now, isDryRun: isDryRun,
            operation: { draft throws(ServiceError) in
                var hops: [Hop] = []
                for response in responses {
                    hops.append(
                        try Hop(
                            response, after: hops.last?.next, hosts: draft.tenant.hosts,
                            rules: rules))
                }
                let verdicts = hops.map { hop in
                    hop.lines.apply(
                        to: &draft, in: store, from: hop.context, rules: rules, now: now)
                }
                var header: [UInt8] = []
                let summary = Self.readHeader(
                    after: hops.last, from: draft.state[store], rules: rules, now: now, to: &header)
                return Answer(hops: hops, verdicts: verdicts, header: header, summary: summary)
            }, completion: completion)
    }

    /// Appends the header of the request that comes next, if there is one.
    private static func readHeader(
        after hop: Hop?, from store: StoreState, rules: CookieRules, now: Timestamp,
        to header: inout [UInt8]
    ) -> HeaderSummary? {
        guard let hop, let next = hop.next else { return nil }
        return store.cookies.appendCookieHeader(
            for: RequestContext(
                url: next.actualURL, sameSiteContext: next.sameSiteContext,
                partitionKey: hop.context.partitionKey),
            rules: rules, now: now, matching: store.settings.matching, to: &header)
    }
}
