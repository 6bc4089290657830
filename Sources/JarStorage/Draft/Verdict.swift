// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What became of one cookie that was given to a store.
public struct Verdict: Hashable, Sendable {
    /// The ways it can end.
    ///
    /// The raw value is the outcome's name in the API.
    public enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// It is there now, and was not before.
        case stored
        /// It is there now in place of another one.
        case replaced
        /// It was there already just so, or a deletion found nothing.
        case unchanged
        /// It is gone.
        case deleted
        /// A rule refused it.
        case rejected
    }

    /// The cookie's name.
    public let name: [UInt8]
    /// How it ended.
    public let outcome: Outcome
    /// The rule that refused it.
    public let reason: CookieRejection?
    /// The cookie that is stored now, or the one that was deleted.
    public let cookie: Cookie?
    /// The cookies that made room for it, in the order in which they went.
    public let evicted: [CookieIdentity]

    /// A verdict made of its parts.
    public init(
        name: [UInt8], outcome: Outcome, reason: CookieRejection? = nil, cookie: Cookie? = nil,
        evicted: [CookieIdentity] = []
    ) {
        self.name = name
        self.outcome = outcome
        self.reason = reason
        self.cookie = cookie
        self.evicted = evicted
    }
}
