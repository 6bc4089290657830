// SPDX-License-Identifier: Apache-2.0

import Cookies
import Locks

/// What each event loop remembers of URLs, for itself, so that loops do not wait for each other.
struct LoopOrigins: Sendable {
    /// How many loops remember for themselves; more share with each other.
    private static let shares = 16
    private let memos: [Locked<OriginMemo>]

    /// Nothing is remembered yet.
    init(names: any DomainNameMapping) {
        memos = (0..<Self.shares).map { _ in Locked(OriginMemo(names: names)) }
    }

    /// What a loop remembers.
    subscript(_ loop: Int) -> Locked<OriginMemo> { memos[loop % Self.shares] }
}
