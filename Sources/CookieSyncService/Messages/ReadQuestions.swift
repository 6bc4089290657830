// SPDX-License-Identifier: Apache-2.0

import Cookies
import Locks

/// Remembers what queries of `cookie-header` mean, so that one that is asked again is not read again.
///
/// What a query means depends on nothing but its bytes, so an entry is never wrong; a newer query takes the place of
/// the one before it in its slot. Holds at most `slots` queries of at most `maximumBytes` octets each.
final class ReadQuestions: Sendable {
    private static let slots = 256
    private static let maximumBytes = 512

    private struct Entry {
        let query: [UInt8]
        let meaning: GetCookieHeader
    }

    private let entries = LoopShares([Entry?](repeating: nil, count: slots))

    /// What a query means, if that is known on this event loop.
    ///
    /// - Complexity: O(n) in the length of the query, without a heap allocation.
    func meaning(of query: UnsafeBufferPointer<UInt8>, on loop: Int) -> GetCookieHeader? {
        guard query.count <= Self.maximumBytes else { return nil }
        return entries[loop].withLock { entries in
            guard let entry = entries[Self.slot(of: query)], query.isSame(as: entry.query) else {
                return nil
            }
            return entry.meaning
        }
    }

    /// Remembers what a query means.
    func note(
        _ meaning: GetCookieHeader, of query: UnsafeBufferPointer<UInt8>, on loop: Int
    ) {
        guard query.count <= Self.maximumBytes else { return }
        let entry = Entry(query: Array(query), meaning: meaning)
        entries[loop].withLock { $0[Self.slot(of: query)] = entry }
    }

    private static func slot(of query: UnsafeBufferPointer<UInt8>) -> Int {
        Int(TableHash.shared(query) % UInt64(slots))
    }
}
