// SPDX-License-Identifier: Apache-2.0

public import Cookies

extension JarDraft {
    /// Files the cookies of an address under the host that they belong to (design section 2.5).
    ///
    /// A cookie keeps everything but its identity; its version too, so that a later sync does not take an old
    /// login for a new one. A partition that was the address's own site becomes the host's own site; any other stays.
    /// The removal from the address is one that travels.
    public mutating func rewriteDomain(
        _ request: DomainRewrite, rules: CookieRules, now: Timestamp
    ) -> RewriteReport {
        var report = RewriteReport()
        for cookie in cookies(of: request.from, in: request.store, now: now) {
            let target = CookieIdentity(
                name: cookie.identity.name, domain: request.to.bytes,
                hostOnly: !request.domainWide, path: cookie.identity.path,
                partitionKey: cookie.identity.partitionKey.map {
                    PartitionKey.moved($0, from: request.from, to: request.to, rules: rules)
                })
            guard target != cookie.identity else { continue }
            if let reason = objection(to: target, of: cookie, request, rules: rules, now: now) {
                report.results.append(
                    RewriteResult(
                        identity: cookie.identity, target: target, action: .rejected,
                        reason: reason))
                continue
            }
            report.results.append(refile(cookie, as: target, in: request.store, now: now))
        }
        let stored = report.results.last { $0.action == .rewritten }.map { [$0.target] } ?? []
        report.evicted = evict(
            afterStoring: stored, in: request.store, rules: rules, now: now)
        return report
    }

    private func cookies(of host: Host, in store: StoreID, now: Timestamp) -> [Cookie] {
        var found: [Cookie] = []
        state[store].cookies.forEach { cookie in
            guard cookie.identity.domain == host.bytes, !cookie.isExpired(at: now) else { return }
            found.append(cookie)
        }
        return found
    }

    /// The rule that the cookie would break under its new identity.
    ///
    /// No cookie is filed under a public suffix, host-only or not: a site of that name sets its own, and
    /// `localhost` is the one exception.
    private func objection(
        to target: CookieIdentity, of cookie: Cookie, _ request: DomainRewrite,
        rules: CookieRules, now: Timestamp
    ) -> CookieRejection? {
        if !request.to.isAddress, !request.to.isLoopback || request.domainWide,
            rules.suffixes.isPublicSuffix(request.to.bytes)
        {
            return .publicSuffix
        }
        if request.to.isAddress, request.domainWide { return .invalidDomain }
        let finished = FinishedCookie(
            name: target.name, value: cookie.value.bytes, domain: target.domain,
            hostOnly: target.hostOnly, path: target.path, secure: cookie.secure,
            httpOnly: cookie.httpOnly, sameSite: cookie.sameSite,
            partitionKey: target.partitionKey, expires: cookie.expires, source: cookie.source)
        let decision = CookieStore().decide(
            finished, rules: rules, now: now, order: cookie.creationOrder)
        guard case .reject(let reason) = decision else { return nil }
        return reason
    }

    private mutating func refile(
        _ cookie: Cookie, as target: CookieIdentity, in store: StoreID, now: Timestamp
    ) -> RewriteResult {
        var moved = cookie
        moved.identity = target
        let standing = state[store].liveCookie(target, at: now)
        let deletion = state[store].tombstones[target].flatMap { $0.travels ? $0 : nil }
        let isSuperseded =
            deletion?.isNewer(than: moved) == true
            || (standing != nil && SyncDecision.newer(moved, standing) == standing)
        if !isSuperseded { self.store(moved, in: store, cause: .rewritten, now: now) }
        remove(cookie.identity, in: store, cause: .rewritten, travels: true, now: now)
        return RewriteResult(
            identity: cookie.identity, target: target,
            action: isSuperseded ? .superseded : .rewritten,
            replacedOlder: !isSuperseded && standing != nil)
    }
}
