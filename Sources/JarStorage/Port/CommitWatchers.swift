// SPDX-License-Identifier: Apache-2.0

private import Locks
private import Synchronization

/// Who wants to hear of the commits of which jar: how a storage wakes those that follow a jar.
///
/// An engine holds one and rings it, after a commit has been published, for each jar that the commit changed; an engine
/// that learns of the commits of others rings for these too. A ring says that there is something to read, not what: it
/// may come late, twice, or for several commits at once, but never not at all. To ring for a jar that nobody watches
/// costs a load, and never waits for a watcher.
public final class CommitWatchers: Sendable {
    private let count = Atomic(0)
    private let watches = Locked<[JarAddress: [CommitWatch]]>([:])

    /// Nobody watches.
    public init() {}

    /// Has a closure called with the jar's revision after each of its commits from now on.
    ///
    /// - Parameters:
    ///   - address: The jar; it need not exist yet.
    ///   - wake: Called on threads of the storage; must return at once.
    /// - Returns: What ends it.
    public func watch(
        _ address: JarAddress, wake: @escaping @Sendable (Revision) -> Void
    ) -> CommitWatch {
        let watch = CommitWatch(of: address, by: self, wake: wake)
        count.add(1, ordering: .sequentiallyConsistent)
        watches.withLock { $0[address, default: []].append(watch) }
        return watch
    }

    /// Wakes those that watch a jar, which has this revision now.
    ///
    /// Complexity: O(1) when nobody watches any jar, without a lock or an allocation.
    public func ring(_ address: JarAddress, _ revision: Revision) {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        for watch in watches.withLock({ $0[address] ?? [] }) { watch.wake(revision) }
    }

    /// The jars that someone watches, for an engine that has to look whether they were changed elsewhere.
    ///
    /// Complexity: O(jars that are watched).
    public var watched: [JarAddress] { watches.withLock { Array($0.keys) } }

    fileprivate func remove(_ watch: CommitWatch) {
        let isRemoved = watches.withLock { watches in
            guard let index = watches[watch.address]?.firstIndex(where: { $0 === watch }) else {
                return false
            }
            watches[watch.address]?.remove(at: index)
            if watches[watch.address]?.isEmpty == true { watches[watch.address] = nil }
            return true
        }
        if isRemoved { count.subtract(1, ordering: .sequentiallyConsistent) }
    }
}

/// One who watches a jar.
public final class CommitWatch: Sendable {
    fileprivate let address: JarAddress
    fileprivate let wake: @Sendable (Revision) -> Void
    private let watchers: CommitWatchers

    fileprivate init(
        of address: JarAddress, by watchers: CommitWatchers,
        wake: @escaping @Sendable (Revision) -> Void
    ) {
        self.address = address
        self.watchers = watchers
        self.wake = wake
    }

    /// Ends it: no ring that begins after this wakes it.
    public func cancel() {
        watchers.remove(self)
    }
}
