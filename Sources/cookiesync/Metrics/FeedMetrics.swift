// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncService
internal import Telemetry

/// The families of `/metrics` about those who follow changes.
enum FeedMetrics {
    static func append(_ counters: FeedCounters, to text: inout MetricsText) {
        text.family("cookiesync_feed_followers", .gauge, "Who follows changes now, by how.")
        text.sample("cookiesync_feed_followers", [("kind", "stream")], counters.streams)
        text.sample("cookiesync_feed_followers", [("kind", "poll")], counters.polls)
        text.add(
            "cookiesync_feed_reads_total", .counter,
            "Pages of changes that were read for followers, each for all that wanted it.",
            counters.reads)
        text.add(
            "cookiesync_feed_events_total", .counter, "Events that were handed to streams.",
            counters.eventsSent)
        text.add(
            "cookiesync_feed_polls_answered_total", .counter,
            "Long-polls that were answered because something had happened.",
            counters.pollsAnswered)
        text.add(
            "cookiesync_feed_dropped_total", .counter,
            "Streams that were ended because their clients were too slow.", counters.dropped)
        text.add(
            "cookiesync_feed_refused_total", .counter,
            "Followers that were refused because their tenant had too many.", counters.refused)
    }
}
