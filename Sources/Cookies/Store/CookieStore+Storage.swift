// SPDX-License-Identifier: Apache-2.0

/// What is to happen with a cookie that came in.
public enum StorageDecision: Sendable {
    /// It is refused, and nothing changes.
    case reject(CookieRejection)
    /// It is to be stored, in the place of a live cookie of the same identity if there is one.
    case store(Cookie, isReplacing: Bool)
    /// It says exactly what is stored.
    case unchanged(Cookie)
    /// It is expired: the cookie of this identity goes, if there is one.
    case delete(CookieIdentity, existing: Cookie?)
}

extension CookieStore {
    /// Decides about a parsed line by the storage model (section 5.7).
    ///
    /// Changes nothing.
    ///
    /// - Parameters:
    /// - setCookie: the line.
    /// - context: where it came from.
    /// - rules: suffixes, names, and the operator's choices.
    /// - now: the current time.
    /// - order: the revision that the change would get.
    /// - sessionEnd: when a cookie without a lifetime is to end; nil keeps it a session cookie.
    /// - Returns: what to do; the cookie to store keeps the creation of the one it replaces.
    /// - Complexity: O(cookies of the domain); for an insecure origin, O(all domains).
    public func decide(
        _ setCookie: SetCookie, from context: ResponseContext, rules: CookieRules, now: Timestamp,
        order: UInt64, sessionEnd: Timestamp? = nil
    ) -> StorageDecision {
        do {
            let candidate = try Candidate(setCookie, from: context, rules: rules, now: now)
            return try decide(candidate, now: now, order: order, sessionEnd: sessionEnd)
        } catch {
            return .reject(error)
        }
    }

    /// Decides about a finished cookie by the same rules.
    ///
    /// Changes nothing; never answers `delete`.
    ///
    /// - Parameters:
    /// - finished: the cookie.
    /// - rules: suffixes, names, and the operator's choices.
    /// - now: the current time.
    /// - order: the revision that the change would get.
    /// - sessionEnd: when a cookie without a lifetime is to end; nil keeps it a session cookie.
    /// - Returns: what to do.
    /// - Complexity: O(cookies of the domain).
    public func decide(
        _ finished: FinishedCookie, rules: CookieRules, now: Timestamp, order: UInt64,
        sessionEnd: Timestamp? = nil
    ) -> StorageDecision {
        do {
            let candidate = try Candidate(finished, rules: rules, now: now)
            return try decide(candidate, now: now, order: order, sessionEnd: sessionEnd)
        } catch {
            return .reject(error)
        }
    }

    /// The steps that look at what the store holds (section 5.7 steps 16 and 23).
    ///
    /// An expired cookie is as good as gone, so it neither protects its place nor hands its
    /// creation on.
    private func decide(
        _ candidate: Candidate, now: Timestamp, order: UInt64, sessionEnd: Timestamp?
    ) throws(CookieRejection) -> StorageDecision {
        let group = table.group(of: candidate.identity.domain)
        let place = group?.index(of: candidate.identity)
        var existing: CookieGroup.Entry?
        if let group, let place, !group.entries[place].isExpired(at: now) {
            existing = group.entries[place]
        }
        if !candidate.secure, !candidate.fromSecureOrigin, overlaysSecure(candidate, now: now) {
            throw .secureOverlay
        }
        if candidate.fromScript, let existing, existing.httpOnly { throw .httpOnlyOverwrite }
        if let expires = candidate.expires, expires <= now {
            return .delete(candidate.identity, existing: self[candidate.identity])
        }
        let cookie = Cookie(
            identity: candidate.identity, value: candidate.value, secure: candidate.secure,
            httpOnly: candidate.httpOnly, sameSite: candidate.sameSite,
            expires: candidate.expires ?? sessionEnd,
            createdAt: existing?.createdAt ?? now,
            creationOrder: existing?.creationOrder ?? order, updatedAt: now, version: order,
            lastAccess: now, wasSession: candidate.expires == nil && sessionEnd != nil,
            source: candidate.source, legacy: candidate.legacy)
        // Of what is stored a cookie is made only where it is asked for.
        if existing != nil, let group, let place, group.hasContent(of: cookie, at: place) {
            return .unchanged(group.cookie(at: place))
        }
        return .store(cookie, isReplacing: existing != nil)
    }

    /// Whether a Secure cookie of the same name would be sent along with, or hidden by, this one: a
    /// domain that matches in either direction, and a path that this one's path lies within ("leave
    /// Secure cookies alone").
    private func overlaysSecure(_ candidate: Candidate, now: Timestamp) -> Bool {
        let new = candidate.identity
        return table.groups.contains { group in
            guard
                DomainMatch.matches(host: group.domain, domain: new.domain)
                    || DomainMatch.matches(host: new.domain, domain: group.domain)
            else { return false }
            return group.octets.withUnsafeBufferPointer { octets in
                group.entries.contains { old in
                    old.secure && octets.piece(old.name).isSame(as: new.name)
                        && old.isPartitioned == (new.partitionKey != nil)
                        && octets.piece(old.partitionKey).isSame(as: new.partitionKey ?? [])
                        && CookiePath.matches(request: new.path, path: octets.piece(old.path))
                        && !old.isExpired(at: now)
                }
            }
        }
    }
}
