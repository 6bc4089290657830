// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import JarStorage

/// Takes the cookies of a file into a store (design section 6).
struct ImportCookies: Sendable {
    /// What became of one entry.
    enum Outcome: Sendable {
        /// It is no cookie.
        case unreadable(EntryFault)
        /// It was judged by the rules of cookies.
        case judged(Verdict.Outcome, CookieRejection?)
    }

    /// The entries of the file.
    let entries: [FileEntry]

    /// Applies every entry in order, all in one transaction, and answers an outcome for each.
    ///
    /// Unlike `PutCookies`, one refusal does not stop the others; an expired entry is one, so what is live stays.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[Outcome]>, ServiceError>) -> Void
    ) {
        let entries = entries
        storage.change(
            address,
            operation: { draft in
                entries.map { entry in
                    switch entry.content {
                    case .failure(let fault): return .unreadable(fault)
                    case .success(let cookie):
                        let verdict = draft.put(cookie, in: store, rules: rules, now: now)
                        return .judged(verdict.outcome, verdict.reason)
                    }
                }
            }, completion: completion)
    }
}
