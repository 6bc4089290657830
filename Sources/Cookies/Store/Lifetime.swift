// SPDX-License-Identifier: Apache-2.0

/// When a cookie ends (section 5.5 and section 5.7 step 6).
enum Lifetime {
    /// The largest difference between the server's clock and ours that is believed, in seconds.
    private static let believedSkew: Int64 = 86_400

    /// Max-Age before Expires, at most 400 days from now; nil for a session cookie.
    static func expiry(
        of line: SetCookie, serverDate: Timestamp?, now: Timestamp, rules: CookieRules
    ) -> Timestamp? {
        if let seconds = line.maxAge {
            guard seconds > 0 else { return Timestamp(milliseconds: .min) }
            return capped(now.adding(seconds: seconds), now: now, rules: rules)
        }
        guard let expires = line.expires else { return nil }
        let skew = skew(serverDate: serverDate, now: now)
        return capped(expires.adding(seconds: skew), now: now, rules: rules)
    }

    static func capped(_ expires: Timestamp, now: Timestamp, rules: CookieRules) -> Timestamp {
        min(expires, now.adding(seconds: rules.limits.lifetimeSeconds))
    }

    /// How far our clock is ahead of the server's, in whole seconds as `Date` has no others.
    ///
    /// A difference of more than a day is a cached response or a nonsensical clock rather than a
    /// skew, and is not applied.
    private static func skew(serverDate: Timestamp?, now: Timestamp) -> Int64 {
        guard let serverDate else { return 0 }
        let difference = now.seconds.subtractingReportingOverflow(serverDate.seconds)
        guard !difference.overflow, difference.partialValue.magnitude <= believedSkew.magnitude
        else { return 0 }
        return difference.partialValue
    }
}

extension CookieRules {
    /// When a session cookie ends that is made persistent now for so many seconds, at most 400 days from now.
    public func sessionEnd(afterSeconds seconds: Int64, now: Timestamp) -> Timestamp {
        Lifetime.capped(now.adding(seconds: seconds), now: now, rules: self)
    }
}
