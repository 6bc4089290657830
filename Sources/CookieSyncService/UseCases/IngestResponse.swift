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
    let lines: [[UInt8]]
    /// Whether nothing is to be changed.
    let isDryRun: Bool

    /// Applies every line in order, all in one transaction, and answers a verdict for each.
    func run(
        in store: StoreID, of address: JarAddress, storage: any JarStorage, rules: CookieRules,
        now: Timestamp,
        completion: @escaping @Sendable (Result<Changed<[Verdict]>, ServiceError>) -> Void
    ) {
        let parsed = lines.map(Self.parse)
        let context = context
        storage.change(
            address, isDryRun: isDryRun,
            operation: { draft in
                parsed.map { line in
                    switch line {
                    case .success(let setCookie):
                        draft.receive(setCookie, in: store, from: context, rules: rules, now: now)
                    case .failure(let unusable):
                        Verdict(name: unusable.name, outcome: .rejected, reason: unusable.reason)
                    }
                }
            }, completion: completion)
    }

    private struct Unusable: Error {
        let name: [UInt8]
        let reason: CookieRejection
    }

    private static func parse(_ line: [UInt8]) -> Result<SetCookie, Unusable> {
        do throws(CookieRejection) {
            return .success(try SetCookie(parsing: line))
        } catch {
            return .failure(Unusable(name: SetCookie.name(of: line), reason: error))
        }
    }
}
