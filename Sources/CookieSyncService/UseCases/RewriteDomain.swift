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
        changeJar(
            address, in: storage, rules: rules, now: now, isDryRun: isDryRun,
            operation: { draft throws(ServiceError) in
                var request = request
                request.to = try draft.tenant.hosts.actual(host: request.to)
                return draft.rewriteDomain(request, rules: rules, now: now)
            },
            completion: completion)
    }
}
