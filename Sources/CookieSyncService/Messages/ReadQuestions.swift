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

    private let entries = Locked([Entry?](repeating: nil, count: slots))
    /// What a query means; reads it only if that is not known.
    ///
    /// - Complexity: O(n) in the length of the query, without a heap allocation when it is known.
    func meaning(
        of query: UnsafeBufferPointer<UInt8>,
        reading: () throws(Problem) -> GetCookieHeader
    ) throws(Problem) -> GetCookieHeader {
        guard query.count <= Self.maximumBytes else { return try reading() }
        let slot = Int(TableHash.shared(query) % UInt64(Self.slots))
        let known = entries.withLock { entries -> GetCookieHeader? in
            guard let entry = entries[slot], query.isSame(as: entry.query) else { return nil }
            return entry.meaning
        }
        if let known { return known }
        let meaning = try reading()
        let entry = Entry(query: Array(query), meaning: meaning)
        entries.withLock { $0[slot] = entry }
        return meaning
    }
}
