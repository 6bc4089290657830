// SPDX-License-Identifier: Apache-2.0

/// A point in time: whole milliseconds since the Unix epoch, leap seconds not counted.
///
/// Every rule that depends on time takes `now` as a parameter; nothing in this module reads a
/// clock.
public struct Timestamp: Comparable, Hashable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z; negative before it.
    public let milliseconds: Int64

    /// A time given in milliseconds since the epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// A time given in seconds since the epoch; a value out of range becomes the nearest one in
    /// range.
    public init(seconds: Int64) {
        let product = seconds.multipliedReportingOverflow(by: 1000)
        milliseconds = product.overflow ? (seconds < 0 ? .min : .max) : product.partialValue
    }

    /// Whole seconds since the epoch, rounded down.
    public var seconds: Int64 {
        let quotient = milliseconds / 1000
        return milliseconds % 1000 < 0 ? quotient - 1 : quotient
    }

    /// This time moved by a number of seconds; a result out of range becomes the nearest one in
    /// range.
    public func adding(seconds delta: Int64) -> Timestamp {
        let step = Timestamp(seconds: delta).milliseconds
        let sum = milliseconds.addingReportingOverflow(step)
        return Timestamp(milliseconds: sum.overflow ? (step < 0 ? .min : .max) : sum.partialValue)
    }

    /// Orders by time.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
