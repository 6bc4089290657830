// SPDX-License-Identifier: Apache-2.0

/// When a call is made again, and after which pause.
///
/// A call is repeated only where a second run cannot do more than the first: reads, `PUT`, `DELETE`, and every call with
/// an idempotency key. It is repeated when the service said 429 or 503, or when no answer came.
public struct RetryPolicy: Sendable {
    /// How often a call is made at most, the first time included.
    public var attempts: Int
    /// The pause before the second attempt; each later one is twice as long.
    public var firstPause: Duration
    /// The longest pause; a `Retry-After` beyond it ends the attempts.
    public var longestPause: Duration

    /// A policy; by default four attempts with pauses of about 0.2, 0.4 and 0.8 seconds.
    public init(
        attempts: Int = 4, firstPause: Duration = .milliseconds(200),
        longestPause: Duration = .seconds(10)
    ) {
        self.attempts = attempts
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// One attempt and no more.
    public static let never = RetryPolicy(attempts: 1)

    /// The pause before the next attempt; nil when there is to be none.
    ///
    /// `chance` from 0 to 1 spreads callers that failed together.
    func pause(after attempt: Int, retryAfter: Int?, chance: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        if let retryAfter {
            let asked = Duration.seconds(retryAfter)
            return asked <= longestPause ? asked + firstPause * chance : nil
        }
        let doubled = firstPause * (1 << min(attempt - 1, 16))
        return min(doubled, longestPause) * (0.5 + chance / 2)
    }
}
