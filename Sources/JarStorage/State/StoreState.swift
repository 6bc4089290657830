// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// One store of a jar at one revision.
public struct StoreState: Sendable {
    /// What it holds.
    public internal(set) var cookies: CookieStore
    /// What it held, or was told to drop, and does not hold now.
    public internal(set) var tombstones: [CookieIdentity: Tombstone]
    /// How it is set up.
    public internal(set) var settings: StoreSettings
    /// Whether it exists for clients: from the first cookie or setting that was stored until it is deleted.
    ///
    /// A store that is not present may still have tombstones.
    public internal(set) var isPresent: Bool

    /// A store that nobody has written to.
    public static let absent = StoreState(
        cookies: CookieStore(), tombstones: [:], settings: StoreSettings(), isPresent: false)

    /// Whether the cookie is there and its time has not come.
    ///
    /// Complexity: O(cookies of the domain), without allocation.
    public func hasLive(_ identity: CookieIdentity, at now: Timestamp) -> Bool {
        cookies.hasLive(identity, at: now)
    }

    /// The cookie, unless it is not there or its time has come.
    public func liveCookie(_ identity: CookieIdentity, at now: Timestamp) -> Cookie? {
        guard let cookie = cookies[identity], !cookie.isExpired(at: now) else { return nil }
        return cookie
    }
}
