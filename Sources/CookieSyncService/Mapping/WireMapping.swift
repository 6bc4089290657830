// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

// How cookies and what becomes of them are written on the wire.

extension CookieIdentityBody {
    init(_ identity: CookieIdentity) {
        self.init(
            name: identity.name, domain: identity.domain, hostOnly: identity.hostOnly,
            path: identity.path, partitionKey: identity.partitionKey)
    }
}

extension CookieBody {
    init(_ cookie: Cookie, showingValue: Bool) {
        self.init(
            identity: CookieIdentityBody(cookie.identity),
            value: showingValue ? SecretBytes(cookie.value.bytes) : nil,
            secure: cookie.secure, httpOnly: cookie.httpOnly,
            sameSite: SameSiteWord(cookie.sameSite),
            expires: cookie.expires?.milliseconds, createdAt: cookie.createdAt.milliseconds,
            updatedAt: cookie.updatedAt.milliseconds, version: cookie.version,
            wasSession: cookie.wasSession, source: cookie.source.word)
    }
}

extension SameSiteWord {
    fileprivate init?(_ sameSite: SameSite) {
        switch sameSite {
        case .unset: return nil
        case .none: self = .none
        case .lax: self = .lax
        case .strict: self = .strict
        }
    }
}

extension CookieSource {
    fileprivate var word: String {
        switch self {
        case .header: "header"
        case .script: "script"
        case .put: "put"
        case .imported: "import"
        }
    }
}

extension VerdictBody {
    init(_ verdict: Verdict, showingValue: Bool) {
        // A cookie that was deleted is not shown: its value is nobody's business any more.
        let isThere = verdict.outcome != .deleted
        self.init(
            name: verdict.name, outcome: verdict.outcome.rawValue,
            reason: verdict.reason?.rawValue,
            cookie: isThere
                ? verdict.cookie.map { CookieBody($0, showingValue: showingValue) } : nil,
            evicted: verdict.evicted.map(CookieIdentityBody.init))
    }
}

extension VerdictsBody {
    init(_ changed: Changed<[Verdict]>, folding: FoldingBody?, showingValues: Bool) {
        self.init(
            revision: changed.revision.rawValue,
            results: changed.answer.map { VerdictBody($0, showingValue: showingValues) },
            folding: folding)
    }
}

extension FoldingBody {
    init(_ lines: SetCookieLines) {
        self.init(isFolded: lines.isFolded, isAmbiguous: lines.isAmbiguous)
    }
}

extension ExchangeAnswerBody {
    init(_ changed: Changed<ExchangeResponses.Answer>) {
        let answer = changed.answer
        let hops = answer.hops
        let (outcome, location) = Self.outcome(hops.last?.redirect ?? .none)
        self.init(
            revision: changed.revision.rawValue, redirect: outcome, location: location,
            next: hops.last?.next.map { next in
                NextRequestBody(
                    method: next.method, keepsBody: next.keepsBody,
                    removedFields: next.removedFields,
                    sameSiteContext: SameSiteContextWord(next.sameSiteContext),
                    header: CookieHeaderBody(
                        url: next.url.text, cookie: SecretBytes(answer.header),
                        count: answer.summary?.count ?? 0,
                        expiresAt: answer.summary?.expiresAt?.milliseconds),
                    redirectCount: next.redirectCount)
            },
            hops: zip(hops, answer.verdicts).map { hop, verdicts in
                Hop(
                    url: hop.url.text,
                    results: verdicts.map { VerdictBody($0, showingValue: true) },
                    folding: FoldingBody(hop.lines))
            })
    }

    private static func outcome(_ redirect: Redirect) -> (String, [UInt8]?) {
        switch redirect {
        case .none: ("none", nil)
        case .follow(let next): ("follow", next.url.text)
        case .unsupportedScheme(let target): ("unsupported-scheme", target)
        case .invalidLocation(let text): ("invalid-location", text)
        case .tooMany(let target): ("too-many-redirects", target)
        }
    }
}

extension ExplanationBody {
    init(_ verdicts: [RetrievalVerdict], showingValues: Bool) {
        self.init(
            lines: verdicts.map { verdict in
                ExplanationBody.Line(
                    cookie: CookieBody(verdict.cookie, showingValue: showingValues),
                    reasons: verdict.obstacles.list.map(\.rawValue))
            })
    }
}

extension SyncAnswerBody {
    init(_ changed: Changed<SyncReport>) {
        let report = changed.answer
        self.init(
            revision: changed.revision.rawValue, added: report.added, updated: report.updated,
            deleted: report.deleted, unchanged: report.unchanged,
            results: report.results.map { result in
                SyncResultBody(
                    store: result.store.bytes, identity: CookieIdentityBody(result.identity),
                    action: result.action.rawValue, reason: result.reason.rawValue)
            })
    }
}

extension RewriteAnswerBody {
    init(_ changed: Changed<RewriteReport>) {
        self.init(
            revision: changed.revision.rawValue,
            results: changed.answer.results.map { result in
                RewriteResultBody(
                    identity: CookieIdentityBody(result.identity),
                    outcome: result.action.rawValue, reason: result.reason?.rawValue)
            }, evicted: changed.answer.evicted.map(CookieIdentityBody.init))
    }
}

// And how what a client says is understood.

extension FinishedCookie {
    init(_ body: FinishedCookieBody) {
        let sameSite: SameSite =
            switch body.sameSite {
            case nil: .unset
            case .strict: .strict
            case .lax: .lax
            case .some(.none): .none
            }
        self.init(
            name: body.name, value: body.value.bytes, domain: body.domain, hostOnly: body.hostOnly,
            path: body.path, secure: body.secure, httpOnly: body.httpOnly, sameSite: sameSite,
            partitionKey: body.partitionKey,
            expires: body.expires.map(Timestamp.init(milliseconds:)), source: .put)
    }
}

extension SameSiteContextWord {
    init(_ context: SameSiteContext) {
        switch context {
        case .strict: self = .strict
        case .lax: self = .lax
        case .laxUnsafe: self = .laxUnsafe
        case .crossSite: self = .crossSite
        }
    }
}

extension SameSiteContext {
    init(_ word: SameSiteContextWord) {
        switch word {
        case .strict: self = .strict
        case .lax: self = .lax
        case .laxUnsafe: self = .laxUnsafe
        case .crossSite: self = .crossSite
        }
    }
}

extension SyncMode {
    init(_ word: SyncModeWord) {
        switch word {
        case .merge: self = .merge
        case .mirror: self = .mirror
        case .twoWay: self = .twoWay
        }
    }
}
