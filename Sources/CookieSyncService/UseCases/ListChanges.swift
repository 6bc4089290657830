// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Tells what happened to a jar's cookies after a revision (`GET J/changes`).
struct ListChanges: Sendable {
    /// The most changes of a page, and how many when nothing is said.
    static let (maximumLimit, defaultLimit) = (1000, 500)

    /// The revision that the caller has seen.
    let since: Revision
    /// How many changes are looked at.
    let limit: Int
    /// Which changes are told.
    let filter: FeedFilter

    /// One page.
    struct Page: Sendable {
        /// What the caller is told of.
        let changes: [Change]
        /// Where the next page begins: what came up to here is told.
        let revision: Revision
        /// Whether there is more by now.
        let hasMore: Bool
    }

    /// Reads a page.
    ///
    /// Completes with `cursorGone` when the changes after `since` cannot all be told.
    func run(
        in address: JarAddress, storage: any JarStorage,
        completion: @escaping @Sendable (Result<Page, ServiceError>) -> Void
    ) {
        storage.changes(of: address, since: since, limit: limit) { result in
            completion(result.mapError(ServiceError.storage).flatMap(page))
        }
    }

    private func page(_ read: ChangePage) -> Result<Page, ServiceError> {
        guard since >= read.floor, since <= read.newest else { return .failure(.cursorGone) }
        let revision = read.changes.last?.revision ?? read.newest
        return .success(
            Page(
                changes: read.changes.filter(filter.passes), revision: revision,
                hasMore: revision < read.newest))
    }
}
