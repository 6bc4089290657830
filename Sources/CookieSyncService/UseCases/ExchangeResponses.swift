// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Takes the cookies of a chain of responses into a store, and tells the request that comes next (`POST S/exchange`).
struct ExchangeResponses: Sendable {
    /// One response of the chain.
    struct Hop: Sendable {
        /// The URL that answered.
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
    }

    /// What came of it.
    struct Answer: Sendable {
        /// The verdicts of each response.
        let verdicts: [[Verdict]]
        /// The `Cookie` header of the next request.
        let header: [UInt8]
        /// What it holds; nil without a next request.
        let summary: HeaderSummary?
    }

    /// The responses in their order, at least one.
    let hops: [Hop]
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Applies every line in order and reads the header, all in one transaction.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        let hops = hops
        storage.change(
            address, isDryRun: isDryRun,
            operation: { draft in
                let verdicts = hops.map { hop in
                    hop.lines.apply(
                        to: &draft, in: store, from: hop.context, rules: rules, now: now)
                }
                guard let last = hops.last, let next = last.next else {
                    return Answer(verdicts: verdicts, header: [], summary: nil)
                }
                var header: [UInt8] = []
                let request = RequestContext(
                    url: next.url.base, sameSiteContext: next.sameSiteContext,
                    partitionKey: last.context.partitionKey)
                let summary = draft.state[store].cookies.appendCookieHeader(
                    for: request, rules: rules, now: now, to: &header)
                return Answer(verdicts: verdicts, header: header, summary: summary)
            }, completion: completion)
    }
}
