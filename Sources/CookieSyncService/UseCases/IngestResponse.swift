// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Takes the cookies of one response into a store (design section 2.1).
struct IngestResponse: Sendable {
    /// The most Set-Cookie lines of one response.
    static let maximumLines = 1000

    /// Where the lines come from.
    let context: ResponseContext
    /// The Set-Cookie lines.
    let lines: SetCookieLines
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Applies every line in order, all in one transaction, and answers a verdict for each.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[Verdict]>, ServiceError>) -> Void
    ) {
        let (lines, context) = (lines, context)
        storage.change(
            address, rules: rules, now: now, isDryRun: isDryRun,
            operation: { draft throws(ServiceError) in
                lines.apply(
                    to: &draft, in: store, from: try draft.tenant.hosts.actual(context),
                    rules: rules, now: now)
            }, completion: completion)
    }
}
