// SPDX-License-Identifier: Apache-2.0

// The rule by which stores converge: for each cookie, the newest word on it wins. A word is a copy, dated by the
// version that travels with it, or a deletion that someone meant, dated by the revision in which it arose.
// Expiry, eviction and the end of a session are no words: such a cookie is simply not there. All of it is a
// function of what the two ends hold, so the order of calls does not matter and a repeat finds nothing to do.

import Cookies

/// What one store holds of one cookie.
struct SyncSide: Hashable, Sendable {
    /// The copy, unless its time has come.
    let live: Cookie?
    /// The newest deletion that someone meant, or what else happened to it.
    let tombstone: Tombstone?
    /// Whether there was one whose time has come, swept or not.
    let isExpired: Bool

    /// The newest deletion that someone meant.
    var deletion: Tombstone? { tombstone.flatMap { $0.travels ? $0 : nil } }

    /// Whether it is gone without anyone having meant it.
    var hasLapsed: Bool { isExpired || tombstone?.travels == false }
}

/// What a sync has to do to one cookie in one store.
enum SyncStep: Hashable, Sendable {
    /// Nothing; nil when there is nothing to tell either.
    case keep(SyncReason?)
    /// Store this copy.
    case take(Cookie, SyncReason)
    /// Note that it was deleted: a store beyond may have it, and this one never had.
    case bury(Tombstone)
    /// Delete it: by a deletion that arose in that revision, or now; which is passed on, or not.
    case drop(origin: Revision?, travels: Bool, SyncReason)
}

enum SyncDecision {
    /// What is to be done to one cookie at both ends.
    static func decide(
        _ mode: SyncMode, from: SyncSide, to: SyncSide
    ) -> (from: SyncStep, to: SyncStep) {
        switch mode {
        case .merge: (.keep(nil), merge(from, into: to))
        case .mirror: (.keep(nil), mirror(from, onto: to))
        case .twoWay: (converge(from, with: to), converge(to, with: from))
        }
    }

    /// A merge does to `to` what a two-way sync does, but does not bring back what had to make room there: it
    /// would have to make room again.
    private static func merge(_ from: SyncSide, into to: SyncSide) -> SyncStep {
        let step = converge(to, with: from)
        guard case .take(let cookie, .missing) = step, let tombstone = to.tombstone,
            tombstone.cause == .evicted, tombstone.isNewer(than: cookie)
        else { return step }
        return .keep(.evictedBefore)
    }

    private static func converge(_ own: SyncSide, with other: SyncSide) -> SyncStep {
        guard let newest = newer(own.live, other.live) else { return pass(other, to: own) }
        let deletions = [own.deletion, other.deletion].compactMap { $0 }
        if let deletion = deletions.max(by: { $0.revision < $1.revision }),
            deletion.isNewer(than: newest)
        {
            guard own.live != nil else { return .keep(.deletedLater) }
            return .drop(origin: deletion.revision, travels: true, .deletedLater)
        }
        guard let live = own.live else { return .take(newest, .missing) }
        if !agree(live, newest) { return .take(newest, .newer) }
        guard let copy = other.live else { return .keep(.onlyHere) }
        return .keep(agree(live, copy) ? .same : .older)
    }

    /// What becomes of a deletion where neither end has the cookie.
    private static func pass(_ from: SyncSide, to: SyncSide) -> SyncStep {
        guard let deletion = from.deletion,
            to.deletion.map({ $0.revision < deletion.revision }) ?? true
        else { return .keep(nil) }
        return .bury(deletion)
    }

    private static func mirror(_ from: SyncSide, onto to: SyncSide) -> SyncStep {
        switch (from.live, to.live) {
        case (nil, nil): return pass(from, to: to)
        case (let source?, nil): return .take(source, .mirrored)
        case (let source?, let target?):
            return agree(source, target) ? .keep(.same) : .take(source, .mirrored)
        case (nil, let target?):
            // Whoever asks for a mirror means the deletion, unless the source only lost the cookie.
            guard let deletion = from.deletion, deletion.isNewer(than: target) else {
                return .drop(origin: nil, travels: !from.hasLapsed, .mirrored)
            }
            return .drop(origin: deletion.revision, travels: true, .mirrored)
        }
    }

    /// Whether the two are one copy; when they were last used does not count.
    private static func agree(_ left: Cookie, _ right: Cookie) -> Bool {
        var right = right
        right.lastAccess = left.lastAccess
        return left == right
    }

    /// The copy that wins; of two with the same version the persistent one, then the one that lives longer,
    /// then any, as long as it is always the same.
    static func newer(_ left: Cookie?, _ right: Cookie?) -> Cookie? {
        guard let left else { return right }
        guard let right else { return left }
        return rank(left).lexicographicallyPrecedes(rank(right)) ? right : left
    }

    private static func rank(_ cookie: Cookie) -> [Int64] {
        let fixed: [Int64] = [
            Int64(clamping: cookie.version), cookie.expires == nil ? 0 : 1,
            cookie.expires?.milliseconds ?? 0, cookie.wasSession ? 1 : 0,
            Int64(clamping: cookie.creationOrder), cookie.createdAt.milliseconds,
            cookie.updatedAt.milliseconds, cookie.secure ? 1 : 0, cookie.httpOnly ? 1 : 0,
            Int64(cookie.sameSite.rawValue), Int64(cookie.source.rawValue),
        ]
        return fixed + cookie.value.bytes.map(Int64.init)
    }
}
