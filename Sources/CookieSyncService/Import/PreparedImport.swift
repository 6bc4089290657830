// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import JarStorage

/// A file that was read, and the cookies that are left of it, to be stored (design section 6).
struct PreparedImport: Sendable {
    /// The file's format.
    let format: CookieFormat
    /// Where each entry stands.
    let positions: [FileEntry.Position]
    /// What became of each entry within the file.
    let outcomes: [ImportOutcome]
    /// The cookies that are left.
    let survivors: [CookieReplay.Survivor]

    /// Stores what is left in one transaction, and answers what became of each entry.
    ///
    /// Unlike `PutCookies`, one refusal does not stop the others; an expired entry is one, so what is live stays.
    func store(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[ImportOutcome]>, ServiceError>) -> Void
    ) {
        let (outcomes, survivors) = (outcomes, survivors)
        changeJar(
            address, in: storage, rules: rules, now: now,
            operation: { draft in
                var outcomes = outcomes
                var earlier: [CookieIdentity: CookieReplay.Survivor] = [:]
                for survivor in survivors {
                    let verdict = draft.put(
                        FinishedCookie(survivor.cookie), in: store, rules: rules, now: now)
                    Self.settle(verdict, of: survivor, in: &outcomes)
                    earlier[survivor.cookie.identity] = survivor
                    for victim in verdict.evicted {
                        guard let victim = earlier[victim] else { continue }
                        outcomes[victim.first] = .evicted
                        outcomes[victim.last] = .evicted
                    }
                }
                if draft.refusesAll(in: store) { Self.refuse(&outcomes) }
                return outcomes
            }, completion: completion)
    }

    /// Writes down what the store said.
    ///
    /// Of several entries of one cookie the first found what the store had; the others found the one before them.
    private static func settle(
        _ verdict: Verdict, of survivor: CookieReplay.Survivor, in outcomes: inout [ImportOutcome]
    ) {
        let outcome = ImportOutcome(verdict)
        outcomes[survivor.first] = outcome
        if case .rejected = outcome { outcomes[survivor.last] = outcome }
    }

    /// Where nothing may be stored, nothing of the file was.
    private static func refuse(_ outcomes: inout [ImportOutcome]) {
        for index in outcomes.indices {
            switch outcomes[index] {
            case .unreadable, .rejected: break
            default: outcomes[index] = .rejected(.acceptPolicy)
            }
        }
    }
}

extension FinishedCookie {
    /// The cookie as a client would hand it over.
    fileprivate init(_ cookie: Cookie) {
        let identity = cookie.identity
        self.init(
            name: identity.name, value: cookie.value.bytes, domain: identity.domain,
            hostOnly: identity.hostOnly, path: identity.path, secure: cookie.secure,
            httpOnly: cookie.httpOnly, sameSite: cookie.sameSite,
            partitionKey: identity.partitionKey, expires: cookie.expires, source: .imported,
            legacy: cookie.legacy)
    }
}

extension JarDraft {
    /// Whether the store takes no cookies at all.
    fileprivate func refusesAll(in store: StoreID) -> Bool {
        state[store].settings.acceptPolicy == .never
    }
}
