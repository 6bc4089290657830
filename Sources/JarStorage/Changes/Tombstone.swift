// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// What is left of a cookie that was removed, so that an older copy of it does not come back.
public struct Tombstone: Hashable, Sendable {
    /// The revision in which the deletion arose.
    ///
    /// Like a cookie's version, it travels: a copy of the deletion in another store keeps it, so that a login
    /// made between the deletion and its arrival wins.
    public let revision: Revision
    /// When it was removed.
    public let at: Timestamp
    /// Why it was removed.
    public let cause: ChangeCause
    /// Whether someone meant it (an explicit deletion, a server's expired Set-Cookie, a rewrite), so that a
    /// sync carries it to other stores.
    ///
    /// Expiry, eviction and the end of a session stay where they happened.
    public let travels: Bool

    /// A tombstone made of its parts.
    public init(revision: Revision, at: Timestamp, cause: ChangeCause, travels: Bool) {
        self.revision = revision
        self.at = at
        self.cause = cause
        self.travels = travels
    }

    /// Whether it stands against a copy of that version: deletions win over everything that is not newer.
    public func isNewer(than cookie: Cookie) -> Bool {
        revision.rawValue >= cookie.version
    }
}
