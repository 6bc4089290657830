// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import JarStorage

/// What became of one entry of a file.
enum ImportOutcome: Hashable, Sendable {
    /// It is no cookie.
    case unreadable(EntryFault)
    /// A rule refused it.
    case rejected(CookieRejection)
    /// It is there now, and was not before.
    case stored
    /// It is there now in place of another one.
    case replaced
    /// It was there already just so.
    case unchanged
    /// It ended what an earlier entry had set.
    case deleted
    /// It had to make room for later entries.
    case evicted

    init(_ event: CookieReplay.Event) {
        switch event {
        case .stored: self = .stored
        case .replaced: self = .replaced
        case .unchanged: self = .unchanged
        case .deleted: self = .deleted
        case .rejected(let reason): self = .rejected(reason)
        }
    }

    init(_ verdict: Verdict) {
        switch verdict.outcome {
        case .stored: self = .stored
        case .replaced: self = .replaced
        case .unchanged: self = .unchanged
        case .deleted: self = .deleted
        case .rejected: self = .rejected(verdict.reason ?? .acceptPolicy)
        }
    }

    /// Its name in the API.
    var name: StaticString {
        switch self {
        case .unreadable, .rejected: "rejected"
        case .stored: "stored"
        case .replaced: "replaced"
        case .unchanged: "unchanged"
        case .deleted: "deleted"
        case .evicted: "evicted"
        }
    }

    /// The reason's name in the API; nil where there is none.
    var reason: String? {
        switch self {
        case .unreadable(let fault): fault.rawValue
        case .rejected(let reason): reason.rawValue
        default: nil
        }
    }
}
