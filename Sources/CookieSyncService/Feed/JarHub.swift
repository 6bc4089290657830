// SPDX-License-Identifier: Apache-2.0

import Dispatch
import JarStorage
import Synchronization

/// All who follow one jar: woken by its commits, they are served from one read of the storage.
///
/// It reads the page that begins where the hindmost follower stands, and gives each what comes after its own cursor;
/// then the next, until all have been told everything, and rests until a commit rings. Followers whose clients have no
/// room are passed over until they have. A crowd is served in slices with pauses between them, so that the event loops
/// serve everyone else meanwhile.
///
/// `@unchecked Sendable`, because the compiler cannot see that the variables are read and written on `queue` alone.
final class JarHub: @unchecked Sendable {
    private struct Record {
        let follower: any FeedFollower
        /// Everything up to here was told, or is of no interest.
        var position: Revision
        /// Whether its cursor was found to be one that can be followed.
        var isVerified: Bool
        /// Counts those who came, as ids may come in any order.
        let order: Int
        let release: @Sendable () -> Void
    }

    /// A page on its way to those that it is for.
    private struct Round {
        let page: FeedPage
        let ids: [Int]
        /// Whether it brings anyone on.
        let isOfUse: Bool
        var next = 0
    }

    /// How many changes are read at once; more than a client's buffer takes would be read in vain.
    private static let pageSize = 200
    /// How many followers are served in a row, and the pauses after them and after all of a crowd.
    private static let sliceSize = 64
    private static let slicePause = DispatchTimeInterval.milliseconds(2)
    private static let crowdPause = DispatchTimeInterval.milliseconds(20)
    /// How long to wait after the storage has failed.
    private static let failurePause = DispatchTimeInterval.milliseconds(250)

    private let address: JarAddress
    private let storage: any JarStorage
    private let settings: FeedSettings
    private let tally: FeedTally
    private let queue = DispatchQueue(label: "jar-hub")
    private let heard = Atomic<UInt64>(0)
    private let isRung = Atomic(false)

    private var records: [Int: Record] = [:]
    private var lastOrder = 0
    private var ending: FeedEnd?
    private var newest: Revision?
    private var isBusy = false
    private var round: Round?
    private var alarm = Int64.max
    private var heartbeatAt = Int64.max
    private var watch: CommitWatch?

    init(
        of address: JarAddress, storage: any JarStorage, settings: FeedSettings, tally: FeedTally
    ) {
        self.address = address
        self.storage = storage
        self.settings = settings
        self.tally = tally
        // Before anything is read, so that no commit falls between.
        watch = storage.commits.watch(address) { [weak self] in self?.ring($0) }
    }

    // MARK: From any thread

    /// Adds a follower that has seen everything up to a revision; `release` is called once when it is gone.
    func add(
        _ follower: any FeedFollower, as id: Int, since: Revision,
        release: @escaping @Sendable () -> Void
    ) {
        queue.async { [self] in
            lastOrder += 1
            let isCurrent = since == newest
            records[id] = Record(
                follower: follower, position: since, isVerified: isCurrent, order: lastOrder,
                release: release)
            if let ending { return end(id, ending) }
            if isCurrent { follower.begin() }
            if follower.wantsHeartbeats, heartbeatAt == .max {
                heartbeatAt = FeedClock.now + Int64(settings.heartbeatMilliseconds)
                schedule(heartbeatAt)
            }
            schedule(follower.deadline)
            pump()
        }
    }

    /// Lets a follower go, whose client has gone.
    func remove(_ id: Int) {
        queue.async { [self] in forget(id) }
    }

    /// Ends all followers, with where to go on.
    func end(_ reason: FeedEnd) {
        queue.async { [self] in
            ending = reason
            for id in records.keys { end(id, reason) }
        }
    }

    /// A client has taken what there was for it.
    func hasRoomAgain() {
        queue.async { [self] in pump() }
    }

    /// Ends those whose tokens are not valid any more.
    func review() {
        queue.async { [self] in
            for (id, record) in records {
                if let fault = record.follower.permit.fault() { end(id, fault) }
            }
        }
    }

    /// Nobody follows any more.
    func close() {
        queue.async { [self] in
            watch?.cancel()
            watch = nil
        }
    }

    private func ring(_ revision: Revision) {
        heard.max(revision.rawValue, ordering: .relaxed)
        guard !isRung.exchange(true, ordering: .sequentiallyConsistent) else { return }
        queue.async { [self] in
            _ = isRung.exchange(false, ordering: .sequentiallyConsistent)
            hear(Revision(rawValue: heard.load(ordering: .relaxed)))
            pump()
        }
    }

    // MARK: On the queue

    private func hear(_ revision: Revision) {
        newest = newest.map { max($0, revision) } ?? revision
    }

    private func forget(_ id: Int) {
        records.removeValue(forKey: id)?.release()
    }

    private func end(_ id: Int, _ reason: FeedEnd) {
        guard let record = records[id] else { return }
        record.follower.end(reason, at: record.position)
        forget(id)
    }

    /// Reads the next page, if someone needs one and none is under way.
    private func pump() {
        guard !isBusy else { return }
        let wanting = records.values.lazy.filter { [newest] record in
            !record.isVerified
                || (newest.map { record.position < $0 } ?? true) && record.follower.hasRoom
        }
        guard let since = wanting.map(\.position).min() else { return }
        isBusy = true
        tally.reads.add(1, ordering: .relaxed)
        let last = lastOrder
        storage.changes(of: address, since: since, limit: Self.pageSize) { [self] result in
            queue.async { [self] in received(result, since, upTo: last) }
        }
    }

    /// Serves a page to those who were there when it was asked for.
    private func received(
        _ result: Result<ChangePage, JarStorageError>, _ since: Revision, upTo last: Int
    ) {
        switch result {
        case .success(let read):
            let page = FeedPage(read, since: since)
            hear(page.newest)
            let ids = records.filter { _, record in
                record.isVerified
                    ? record.position < page.floor
                        || (record.position >= since && record.position < page.end)
                    : record.order <= last
            }
            let isOfUse = page.end > since || ids.contains { !$0.value.isVerified }
            round = Round(page: page, ids: ids.keys.sorted(), isOfUse: isOfUse)
            serveSlice()
        case .failure(let error):
            for (id, record) in records where !record.isVerified || !error.isTransient {
                end(id, .failed(error))
            }
            rest(for: Self.failurePause)
        }
    }

    private func serveSlice() {
        guard var current = round else { return }
        let end = min(current.ids.count, current.next + Self.sliceSize)
        for id in current.ids[current.next..<end] { serve(id, current.page) }
        current.next = end
        guard end == current.ids.count else {
            round = current
            queue.asyncAfter(deadline: .now() + Self.slicePause) { [self] in serveSlice() }
            return
        }
        round = nil
        guard current.isOfUse else { return rest(for: Self.failurePause) }
        guard current.ids.count <= Self.sliceSize else { return rest(for: Self.crowdPause) }
        isBusy = false
        pump()
    }

    private func rest(for pause: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + pause) { [self] in
            isBusy = false
            pump()
        }
    }

    private func serve(_ id: Int, _ page: FeedPage) {
        guard let record = records[id] else { return }
        if let fault = record.follower.permit.fault() { return end(id, fault) }
        guard page.covers(record.position) else { return end(id, .cursorGone) }
        if !record.isVerified {
            records[id]?.isVerified = true
            record.follower.begin()
        }
        guard record.position >= page.since, record.position < page.end, record.follower.hasRoom
        else { return }
        switch record.follower.take(page, after: record.position) {
        case .reached(let revision):
            records[id]?.position = revision
            schedule(record.follower.deadline)
        case .done: forget(id)
        }
    }

    // MARK: Time

    /// Has the followers looked at by then.
    private func schedule(_ time: Int64) {
        guard time < alarm else { return }
        alarm = time
        let wait = max(0, min(time - FeedClock.now, 1 << 40)) + 1
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(wait))) { [weak self] in
            guard let self, alarm == time else { return }
            alarm = .max
            look()
        }
    }

    private func look() {
        let now = FeedClock.now
        let beats = now >= heartbeatAt
        var next = Int64.max
        var isFollowed = false
        for (id, record) in records {
            if let fault = record.follower.fault(at: now) {
                end(id, fault)
                continue
            }
            next = min(next, record.follower.deadline)
            guard record.follower.wantsHeartbeats else { continue }
            isFollowed = true
            if beats, record.isVerified { record.follower.beat() }
        }
        if beats {
            heartbeatAt = isFollowed ? now + Int64(settings.heartbeatMilliseconds) : .max
        }
        schedule(min(next, heartbeatAt))
    }
}

extension JarStorageError {
    /// Whether it may go away by itself, soon.
    fileprivate var isTransient: Bool {
        switch self {
        case .busy, .unavailable: true
        case .full, .corrupt, .integrity, .schemaTooNew, .readOnly, .inDoubt, .revisionConflict,
            .keyReused, .notPermitted:
            false
        }
    }
}
