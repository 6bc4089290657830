// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// For how long someone may follow: as long as the token is valid that let them in.
struct FeedPermit: Sendable {
    /// When the token ends by itself, by the clock of `FeedClock`.
    let endsAt: Int64
    /// Whether it is still what it was; asked before anything is told.
    let isValid: @Sendable () -> Bool
}

extension CookieSyncService {
    /// The permit of a caller.
    func permit(_ principal: Principal) -> FeedPermit {
        var endsAt = Int64.max
        if let expiry = principal.record?.expiresAt {
            endsAt = FeedClock.now + max(0, expiry.milliseconds - clock().milliseconds)
        }
        return FeedPermit(endsAt: endsAt) { [self] in isStillValid(principal) }
    }
}
