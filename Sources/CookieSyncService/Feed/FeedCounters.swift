// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What the feeds of all jars do, for metrics.
public struct FeedCounters: Sendable, Equatable {
    /// Event streams that are open.
    public var streams = 0
    /// Long-polls that wait.
    public var polls = 0
    /// Pages of changes that were read for followers, each for all that wanted it.
    public var reads = 0
    /// Events that were handed to streams.
    public var eventsSent = 0
    /// Long-polls that were answered because something had happened.
    public var pollsAnswered = 0
    /// Streams that were ended because their clients were too slow.
    public var dropped = 0
    /// Followers that were refused because the tenant had too many.
    public var refused = 0
}

/// The counters themselves.
final class FeedTally: Sendable {
    let streams = Atomic(0)
    let polls = Atomic(0)
    let reads = Atomic(0)
    let eventsSent = Atomic(0)
    let pollsAnswered = Atomic(0)
    let dropped = Atomic(0)
    let refused = Atomic(0)

    /// Counts a follower that has come or gone.
    func change(_ manner: ChangeFeed.Manner, by difference: Int) {
        switch manner {
        case .stream: streams.add(difference, ordering: .relaxed)
        case .poll: polls.add(difference, ordering: .relaxed)
        }
    }

    /// What they say.
    var counters: FeedCounters {
        var counters = FeedCounters()
        counters.streams = streams.load(ordering: .relaxed)
        counters.polls = polls.load(ordering: .relaxed)
        counters.reads = reads.load(ordering: .relaxed)
        counters.eventsSent = eventsSent.load(ordering: .relaxed)
        counters.pollsAnswered = pollsAnswered.load(ordering: .relaxed)
        counters.dropped = dropped.load(ordering: .relaxed)
        counters.refused = refused.load(ordering: .relaxed)
        return counters
    }
}
