// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// Sets finished cookies, all or none (design section 2.3).
struct PutCookies: Sendable {
    /// The cookies.
    let cookies: [FinishedCookie]
    /// Where each stands in the request, for errors.
    let pointer: @Sendable (Int) -> String

    /// Stores the cookies in one transaction.
    ///
    /// Completes with `cookiesRefused`, naming each cookie that breaks a rule, when there is one; nothing is stored
    /// then.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[Verdict]>, ServiceError>) -> Void
    ) {
        let (cookies, pointer) = (cookies, pointer)
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft throws(ServiceError) in
                let verdicts = cookies.map { draft.put($0, in: store, rules: rules, now: now) }
                let refusals = Self.refusals(verdicts, pointer)
                guard refusals.isEmpty else { throw .cookiesRefused(refusals) }
                return verdicts
            }, completion: completion)
    }

    private static func refusals(
        _ verdicts: [Verdict], _ pointer: (Int) -> String
    ) -> [ProblemBody.Item] {
        verdicts.enumerated().compactMap { index, verdict in
            guard verdict.outcome == .rejected else { return nil }
            return ProblemBody.Item(
                pointer: pointer(index), detail: "is refused", reason: verdict.reason?.rawValue)
        }
    }
}
