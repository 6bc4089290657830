// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// For how long someone may follow: as long as the token is valid that let them in.
struct FeedPermit: Sendable {
    /// When the token ends by itself, by the clock of `FeedClock`.
    let endsAt: Int64
    /// Why the follower has to go, if it has to; asked before anything is told.
    let fault: @Sendable () -> FeedEnd?
}

extension CookieSyncService {
    /// The permit of a caller.
    func permit(_ principal: Principal) -> FeedPermit {
        var endsAt = Int64.max
        if let expiry = principal.record?.expiresAt {
            endsAt = FeedClock.now + max(0, expiry.milliseconds - clock().milliseconds)
        }
        return FeedPermit(endsAt: endsAt) { [self] in
            // What cannot be checked for seconds is not told any more; with a token it is not over.
            if case .token = principal, catalogue.isLost { return .failed(.unavailable) }
            return isStillValid(principal) ? nil : .revoked
        }
    }
}
