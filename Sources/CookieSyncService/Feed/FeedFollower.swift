// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// One who follows a jar's changes: a stream of events, or a long-poll.
///
/// The hub of the jar makes all calls, one at a time.
protocol FeedFollower: AnyObject, Sendable {
    /// Which changes it is told of.
    var filter: FeedFilter { get }
    /// Whether it is sent signs of life.
    var wantsHeartbeats: Bool { get }
    /// Whether it can take changes now; if not, it says so to its seat when that changes.
    var hasRoom: Bool { get }
    /// When it has to be looked at again, by the clock of `FeedClock`.
    var deadline: Int64 { get }

    /// For how long it may follow.
    var permit: FeedPermit { get }

    /// Its cursor is one that can be followed.
    func begin()

    /// Takes the changes of a page after a revision.
    func take(_ page: FeedPage, after revision: Revision) -> FeedStep

    /// Is to send a sign of life.
    func beat()

    /// Why it has to end by now; nil if it may go on.
    func fault(at now: Int64) -> FeedEnd?

    /// Has been followed up to a revision, and ends.
    func end(_ reason: FeedEnd, at revision: Revision)
}

/// What a follower did with a page.
enum FeedStep: Equatable, Sendable {
    /// It has been told everything up to a revision, and follows on.
    case reached(Revision)
    /// It has what it wanted.
    case done
}

/// Why a follower ends.
enum FeedEnd: Sendable {
    /// Its time is over.
    case timedOut
    /// The token that let it in is not valid any more.
    case revoked
    /// It took too little for too long.
    case slow
    /// The service is stopping.
    case drain
    /// What comes next for it is not there any more, or never was.
    case cursorGone
    /// The storage failed.
    case failed(JarStorageError)

    /// What the last event of a stream says.
    var word: String {
        switch self {
        case .timedOut: "lifetime"
        case .revoked: "token"
        case .slow: "slow"
        case .drain: "drain"
        case .cursorGone: "cursor-gone"
        case .failed: "unavailable"
        }
    }

    /// What is answered instead of a stream or a page.
    var problem: Problem {
        switch self {
        case .cursorGone: Problem(ServiceError.cursorGone)
        case .failed(let error): Problem(ServiceError.storage(error))
        case .revoked: .unauthenticated
        case .timedOut, .slow, .drain:
            Problem(.unavailable, "The service is draining; use another one.")
        }
    }
}
