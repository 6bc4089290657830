// SPDX-License-Identifier: Apache-2.0

/// A run of a jar's changes, oldest first, without a gap from the revision that was asked for.
public struct ChangePage: Sendable {
    /// The changes, each of a later revision than the one before.
    public let changes: [Change]
    /// The newest revision whose change the storage does not have any more: nothing up to it can be told.
    public let floor: Revision
    /// The jar's revision when the page was read.
    public let newest: Revision

    /// Of a jar that does not exist.
    public static let empty = ChangePage(changes: [], floor: .zero, newest: .zero)

    /// A page made of its parts.
    public init(changes: [Change], floor: Revision, newest: Revision) {
        self.changes = changes
        self.floor = floor
        self.newest = newest
    }
}
