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
        storage.change(
            address,
            operation: { draft in
                let verdicts = cookies.map { draft.put($0, in: store, rules: rules, now: now) }
                if verdicts.contains(where: { $0.outcome == .rejected }) { draft.discard() }
                return verdicts
            },
            completion: { result in
                completion(
                    result.flatMap { changed in
                        let refusals = Self.refusals(changed.answer, pointer)
                        return refusals.isEmpty
                            ? .success(changed) : .failure(.cookiesRefused(refusals))
                    })
            })
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
