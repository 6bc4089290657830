// SPDX-License-Identifier: Apache-2.0

/// A point in a jar's history: the number of changes it has seen.
///
/// Every change takes the next one.
public struct Revision: Hashable, Comparable, Sendable {
    /// The count itself.
    public let rawValue: UInt64

    /// The revision with this count.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// Before the first change.
    public static let zero = Revision(rawValue: 0)

    /// The revision of the change after this one.
    public var next: Revision { Revision(rawValue: rawValue + 1) }

    /// Orders by age.
    public static func < (left: Revision, right: Revision) -> Bool {
        left.rawValue < right.rawValue
    }
}
