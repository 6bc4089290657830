// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

extension ChangePageBody {
    init(_ page: ListChanges.Page, showingValues: Bool) {
        self.init(
            changes: page.changes.compactMap { ChangeBody($0, showingValue: showingValues) },
            revision: page.revision.rawValue,
            hasMore: page.hasMore)
    }
}

extension ChangeBody {
    /// Nil for a change that followers are not told of.
    init?(_ change: Change, showingValue: Bool) {
        guard let kind = change.kind else { return nil }
        let subject: Subject
        switch change.content {
        case .added(let cookie), .changed(let cookie):
            subject = .cookie(CookieBody(cookie, showingValue: showingValue))
        case .removed(let identity, _, _): subject = .identity(CookieIdentityBody(identity))
        case .configured, .storeDeleted: return nil
        }
        self.init(
            revision: change.revision.rawValue, at: change.at.milliseconds,
            store: change.store.bytes, kind: kind.word, cause: change.cause.word,
            subject: subject)
    }
}

extension ChangeKind {
    fileprivate var word: String {
        switch self {
        case .added: "added"
        case .changed: "changed"
        case .removed: "removed"
        }
    }
}

extension ChangeCause {
    fileprivate var word: String {
        switch self {
        case .inserted: "inserted"
        case .replaced: "replaced"
        case .deleted: "deleted"
        case .expired: "expired"
        case .evicted: "evicted"
        case .rewritten: "rewritten"
        case .synced: "synced"
        case .promoted: "promoted"
        }
    }
}
