// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Files the cookies of an address under the host they belong to (design section 2.5).
struct RewriteDomain: Sendable {
    /// Which cookies, and where to.
    let request: DomainRewrite
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Rewrites in one transaction.
    func run(
        in address: JarAddress, storage: any JarStorage, rules: CookieRules, now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<RewriteReport>, ServiceError>) -> Void
    ) {
        let request = request
        storage.change(
            address, isDryRun: isDryRun,
            operation: { draft in draft.rewriteDomain(request, rules: rules, now: now) },
            completion: completion)
    }
}
