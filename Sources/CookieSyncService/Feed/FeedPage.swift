// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import JarStorage

/// A page of a jar's changes as it was read once, rendered once for all followers that want the same of it.
///
/// Belongs to the hub that read it; what it gives away may go anywhere.
final class FeedPage {
    /// A page as a long-poll answers it.
    struct Answer: Sendable {
        /// The document.
        let body: [UInt8]
        /// Up to where it tells.
        let revision: Revision
        /// Whether it tells of nothing.
        let isEmpty: Bool
    }

    private struct Question: Hashable {
        let filter: FeedFilter
        let after: Revision
        let limit: Int
    }

    /// The revision that it begins after.
    let since: Revision
    /// It holds every change up to here.
    let end: Revision
    /// The newest revision whose change the storage does not have any more.
    let floor: Revision
    /// The jar's revision when it was read.
    let newest: Revision
    private let changes: [Change]
    private var batches: [FeedFilter: EventBatch] = [:]
    private var answers: [Question: Answer] = [:]

    /// A page that was read after a revision; when that is none that can be followed, it holds nothing and goes nowhere.
    init(_ page: ChangePage, since: Revision) {
        self.since = since
        changes = page.changes
        floor = page.floor
        newest = page.newest
        let isFollowed = since >= page.floor && since <= page.newest
        end = isFollowed ? page.changes.last?.revision ?? page.newest : since
    }

    /// Whether a cursor is one whose changes can all be told.
    func covers(_ cursor: Revision) -> Bool { cursor >= floor && cursor <= newest }

    /// The events that pass a filter.
    func events(_ filter: FeedFilter) -> EventBatch {
        if let batch = batches[filter] { return batch }
        let batch = EventBatch(changes, filter)
        batches[filter] = batch
        return batch
    }

    /// What passes a filter of so many changes after a revision.
    func answer(_ filter: FeedFilter, after revision: Revision, limit: Int) -> Answer {
        let question = Question(filter: filter, after: revision, limit: limit)
        if let answer = answers[question] { return answer }
        let seen = changes.drop { $0.revision <= revision }.prefix(limit)
        let told = seen.filter(filter.passes)
        let reached = seen.count < limit ? end : seen.last?.revision ?? end
        let page = ListChanges.Page(changes: told, revision: reached, hasMore: reached < newest)
        let answer = Answer(
            body: Self.document(page, showingValues: filter.showsValues), revision: reached,
            isEmpty: told.isEmpty)
        answers[question] = answer
        return answer
    }

    /// The document of a page that tells of nothing.
    static func nothing(until revision: Revision) -> [UInt8] {
        document(
            ListChanges.Page(changes: [], revision: revision, hasMore: false),
            showingValues: false)
    }

    private static func document(
        _ page: ListChanges.Page, showingValues: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        ChangePageBody(page, showingValues: showingValues).encode(to: &writer)
        return writer.bytes
    }
}
