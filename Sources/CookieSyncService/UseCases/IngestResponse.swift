// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Takes the cookies of a response into a store, or of several that followed each other (design section 2.1).
struct IngestResponse: Sendable {
    /// The most Set-Cookie lines of one response.
    static let maximumLines = 1000

    /// One response.
    struct Response: Sendable {
        /// Where the lines come from.
        let context: ResponseContext
        /// The Set-Cookie lines.
        let lines: SetCookieLines
    }

    /// The responses in their order, at least one.
    let responses: [Response]
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Applies every line in order, all in one transaction, and answers a verdict for each.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[Verdict]>, ServiceError>) -> Void
    ) {
        changeJar(
            address, in: storage, rules: rules, now: now, isDryRun: isDryRun,
            operation: Receipt(
                responses: responses, store: store, rules: rules, now: now, completion: completion))
    }

    private struct Receipt: JarOperation {
        let responses: [Response]
        let store: StoreID
        let rules: CookieRules
        let now: Timestamp
        let completion: @Sendable (Result<Changed<[Verdict]>, ServiceError>) -> Void

        func run(on draft: inout JarDraft) throws(ServiceError) -> [Verdict] {
            var verdicts: [Verdict] = []
            for index in responses.indices {
                verdicts += try Self.take(
                    responses[index], to: &draft, in: store, rules: rules, now: now)
            }
            return verdicts
        }

        private static func take(
            _ response: Response, to draft: inout JarDraft, in store: StoreID, rules: CookieRules,
            now: Timestamp
        ) throws(ServiceError) -> [Verdict] {
            guard response.context.namesAddress else {
                return response.lines.apply(
                    to: &draft, in: store, from: response.context, rules: rules, now: now)
            }
            return response.lines.apply(
                to: &draft, in: store, from: try draft.tenant.hosts.actual(response.context),
                rules: rules, now: now)
        }

        func complete(_ result: Result<Changed<[Verdict]>, ServiceError>) { completion(result) }
    }
}
