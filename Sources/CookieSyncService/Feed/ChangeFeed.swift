// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Synchronization

/// The hubs of the jars that are followed, and how many may follow.
final class ChangeFeed: Sendable {
    /// How someone follows.
    enum Manner: Hashable, Sendable {
        case stream
        case poll
    }

    private struct Place: Hashable {
        let tenant: TenantID
        let manner: Manner
    }

    private struct Followed: Sendable {
        let hub: JarHub
        var users = 0
    }

    private struct State: Sendable {
        var jars: [JarAddress: Followed] = [:]
        var counts: [Place: Int] = [:]
        var lastID = 0
        var isDraining = false
    }

    let settings: FeedSettings
    let tally = FeedTally()
    private let storage: any JarStorage
    private let state = Locked(State())

    init(storage: any JarStorage, settings: FeedSettings) {
        self.storage = storage
        self.settings = settings
    }

    /// A place to follow a jar from, to be taken or left.
    ///
    /// - Throws: `tooManyFollowers` when the tenant has no more of them, `unavailable` when the service is stopping.
    func seat(for address: JarAddress, _ manner: Manner) throws(Problem) -> FeedSeat {
        try state.withLock { state throws(Problem) in
            guard !state.isDraining else { throw FeedEnd.drain.problem }
            let place = Place(tenant: address.tenant, manner: manner)
            let limit =
                switch manner {
                case .stream: settings.streamsPerTenant
                case .poll: settings.pollsPerTenant
                }
            guard state.counts[place, default: 0] < limit else {
                tally.refused.add(1, ordering: .relaxed)
                throw Problem(
                    .tooManyFollowers, "The tenant may have \(limit) of these at a time.")
            }
            state.counts[place, default: 0] += 1
            tally.change(manner, by: 1)
            var followed =
                state.jars[address]
                ?? Followed(
                    hub: JarHub(of: address, storage: storage, settings: settings, tally: tally))
            followed.users += 1
            state.jars[address] = followed
            state.lastID += 1
            return FeedSeat(followed.hub, state.lastID, tally) { [self] in
                release(address, manner)
            }
        }
    }

    /// Ends all followers, with where to go on, and takes no more.
    func drain() {
        let hubs = state.withLock { state in
            state.isDraining = true
            return state.jars.values.map(\.hub)
        }
        for hub in hubs { hub.end(.drain) }
    }

    /// Ends those whose tokens are not valid any more; to be called when a token has ceased to be.
    func review() {
        for hub in state.withLock({ $0.jars.values.map(\.hub) }) { hub.review() }
    }

    private func release(_ address: JarAddress, _ manner: Manner) {
        tally.change(manner, by: -1)
        let unused = state.withLock { state -> JarHub? in
            let place = Place(tenant: address.tenant, manner: manner)
            let left = (state.counts[place] ?? 1) - 1
            state.counts[place] = left > 0 ? left : nil
            guard var followed = state.jars[address] else { return nil }
            followed.users -= 1
            state.jars[address] = followed.users > 0 ? followed : nil
            return followed.users > 0 ? nil : followed.hub
        }
        unused?.close()
    }
}

/// A follower's place at the hub of its jar.
final class FeedSeat: Sendable {
    private enum State {
        case free
        case taken
        case left
    }

    let tally: FeedTally
    private let hub: JarHub
    private let id: Int
    private let state = Locked(State.free)
    private let release: @Sendable () -> Void

    init(_ hub: JarHub, _ id: Int, _ tally: FeedTally, release: @escaping @Sendable () -> Void) {
        self.hub = hub
        self.id = id
        self.tally = tally
        self.release = release
    }

    /// Takes the place, for a follower that has seen everything up to a revision; nothing when its client has gone
    /// before it was known what it follows.
    func take(_ follower: any FeedFollower, since revision: Revision) {
        let isFree = state.withLock { state in
            guard state == .free else { return false }
            state = .taken
            return true
        }
        guard isFree else { return }
        hub.add(follower, as: id, since: revision, release: release)
    }

    /// Gives it up, whose client has gone; nothing after the first time, or when it has been given up already.
    func leave() {
        let before = state.withLock { state in
            defer { state = .left }
            return state
        }
        switch before {
        case .free: release()
        case .taken: hub.remove(id)
        case .left: break
        }
    }

    /// Its client has taken what there was for it.
    func hasRoomAgain() { hub.hasRoomAgain() }
}
