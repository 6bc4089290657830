// SPDX-License-Identifier: Apache-2.0

/// What a `Cookie` header that was written holds.
public struct HeaderSummary: Hashable, Sendable {
    /// How many cookies.
    public internal(set) var count = 0
    /// The soonest expiry among them; nil when all are session cookies.
    public internal(set) var expiresAt: Timestamp?
    /// Until when the same question of the same store has the same answer and is noted nowhere.
    ///
    /// The soonest expiry or, if that is sooner, the time from which on another use counts; in the distant future when nothing
    /// matches.
    public internal(set) var holdsUntil = Timestamp(milliseconds: .max)
}

extension CookieStore {
    /// Appends the value of the `Cookie` header for a request (section 5.8.3); nothing when no
    /// cookie matches.
    ///
    /// What it holds counts as used now, in every copy of the store that has the same cookies.
    ///
    /// - Parameters:
    ///   - request: what is to be sent. Its partition key is made canonical here if need be.
    ///   - rules: the store's rules.
    ///   - now: the current time.
    ///   - matching: how the store finds cookies.
    ///   - output: where the octets go.
    /// - Returns: how many cookies it holds and when the first of them ends.
    /// - Complexity: O(labels of the host + cookies of its domains + output); no allocation while
    ///   `output` has room and no partitioned cookie is met. O(n log n) with any matching but `rfc6265`.
    public func appendCookieHeader(
        for request: RequestContext, rules: CookieRules, now: Timestamp,
        matching: HostMatching = .rfc6265, to output: inout [UInt8]
    ) -> HeaderSummary {
        var summary = HeaderSummary()
        // There it matters how old each cookie is.
        if request.sameSiteContext == .laxUnsafe { summary.holdsUntil = now }
        forEachMatch(of: request, rules: rules, now: now, matching) { group, index in
            let entry = group.entries[index]
            let due = group.accesses.note(index, at: now)
            summary.holdsUntil = min(summary.holdsUntil, due)
            group.octets.withUnsafeBufferPointer {
                output.append($0.piece(entry.pair), afterSeparator: summary.count > 0)
            }
            summary.count += 1
            if let expires = entry.expires {
                summary.expiresAt = min(expires, summary.expiresAt ?? expires)
                summary.holdsUntil = min(summary.holdsUntil, expires)
            }
        }
        return summary
    }

    /// The cookies that the header of the same request holds, in its order.
    public func matches(
        for request: RequestContext, rules: CookieRules, now: Timestamp,
        matching: HostMatching = .rfc6265
    ) -> [Cookie] {
        var found: [Cookie] = []
        forEachMatch(of: request, rules: rules, now: now, matching) { group, index in
            found.append(group.cookie(at: index))
        }
        return found
    }

    /// Every cookie of the store in header order, with all that keeps it from the request.
    ///
    /// Complexity: O(n log n).
    public func explain(
        for request: RequestContext, rules: CookieRules, now: Timestamp,
        matching: HostMatching = .rfc6265
    ) -> [RetrievalVerdict] {
        var question = RetrievalQuestion(request, rules: rules, now: now)
        var verdicts: [RetrievalVerdict] = []
        verdicts.reserveCapacity(count)
        for group in table.groups {
            let relation = matching.relation(of: group.domain, to: request.url.host.bytes)
            for index in group.entries.indices {
                let obstacles = question.obstacles(index, of: group, relation, request, rules)
                verdicts.append(
                    RetrievalVerdict(cookie: group.cookie(at: index), obstacles: obstacles))
            }
        }
        return verdicts.sorted { HeaderOrder.precedes($0.cookie, $1.cookie) }
    }

    /// Whether a cookie's domain and path cover a URL, whatever Secure, HttpOnly or SameSite say.
    public static func isInScope(_ identity: CookieIdentity, of url: CookieURL) -> Bool {
        HostMatching.rfc6265.relation(of: identity.domain, to: url.host.bytes)
            .admits(hostOnly: identity.hostOnly)
            && CookiePath.matches(request: url.path, path: identity.path)
    }
}

extension CookieStore {
    /// A position in a group on the way through its matches.
    private struct Cursor {
        let group: Unmanaged<CookieGroup>
        let relation: DomainRelation
        var index: Int
    }

    /// Visits what is sent, in header order: the groups of the host and of its parents, each in
    /// that order already, are merged.
    private func forEachMatch(
        of request: RequestContext, rules: CookieRules, now: Timestamp, _ matching: HostMatching,
        _ body: (CookieGroup, Int) -> Void
    ) {
        guard !isEmpty else { return }
        guard matching == .rfc6265 else {
            return forEachLooseMatch(of: request, rules: rules, now: now, matching, body)
        }
        let labels = Self.labels(of: request.url.host)
        var question = RetrievalQuestion(request, rules: rules, now: now)
        withUnsafeTemporaryAllocation(of: Cursor.self, capacity: labels) { cursors in
            let count = openCursors(cursors, host: request.url.host)
            // The table keeps the groups alive; `self` outlives the walk.
            withExtendedLifetime(self) {
                Self.merge(cursors, count: count, asking: &question, request, rules, body)
            }
        }
    }

    private static func labels(of host: Host) -> Int {
        host.isAddress ? 1 : host.bytes.count { $0 == ASCII.dot } + 1
    }

    /// The same where any group may match: all are asked.
    private func forEachLooseMatch(
        of request: RequestContext, rules: CookieRules, now: Timestamp, _ matching: HostMatching,
        _ body: (CookieGroup, Int) -> Void
    ) {
        var question = RetrievalQuestion(request, rules: rules, now: now)
        var found: [(group: CookieGroup, index: Int)] = []
        for group in table.groups {
            let relation = matching.relation(of: group.domain, to: request.url.host.bytes)
            for index in group.entries.indices
            where question.obstacles(index, of: group, relation, request, rules).isEmpty {
                found.append((group, index))
            }
        }
        found.sort {
            HeaderOrder.precedes($0.group.cookie(at: $0.index), $1.group.cookie(at: $1.index))
        }
        for match in found { body(match.group, match.index) }
    }

    /// Sets a cursor on the group of the host and of each parent that has one, and returns how many
    /// those are.
    private func openCursors(_ cursors: UnsafeMutableBufferPointer<Cursor>, host: Host) -> Int {
        host.bytes.withUnsafeBufferPointer { bytes in
            var count = 0
            var start = 0
            while true {
                let suffix = UnsafeBufferPointer(rebasing: bytes[start...])
                if let index = table.index(of: suffix) {
                    cursors.initializeElement(
                        at: count,
                        to: Cursor(
                            group: .passUnretained(table.groups[index]),
                            relation: start == 0 ? .same : .parent, index: 0))
                    count += 1
                }
                guard !host.isAddress,
                    let dot = bytes[start...].firstIndex(of: ASCII.dot)
                else { return count }
                start = dot + 1
            }
        }
    }

    private static func merge(
        _ cursors: UnsafeMutableBufferPointer<Cursor>, count: Int,
        asking question: inout RetrievalQuestion, _ request: RequestContext, _ rules: CookieRules,
        _ body: (CookieGroup, Int) -> Void
    ) {
        for place in 0..<count { settle(&cursors[place], asking: &question, request, rules) }
        while true {
            var best: Int?
            for place in 0..<count where !isAtEnd(cursors[place]) {
                if let leader = best, !precedes(cursors[place], cursors[leader]) { continue }
                best = place
            }
            guard let best else { return }
            cursors[best].group._withUnsafeGuaranteedRef { body($0, cursors[best].index) }
            cursors[best].index += 1
            settle(&cursors[best], asking: &question, request, rules)
        }
    }

    /// Moves a cursor on to the next cookie that is sent.
    private static func settle(
        _ cursor: inout Cursor, asking question: inout RetrievalQuestion,
        _ request: RequestContext, _ rules: CookieRules
    ) {
        let relation = cursor.relation
        var index = cursor.index
        cursor.group._withUnsafeGuaranteedRef { group in
            while index < group.entries.count,
                !question.obstacles(index, of: group, relation, request, rules).isEmpty
            {
                index += 1
            }
        }
        cursor.index = index
    }

    private static func isAtEnd(_ cursor: Cursor) -> Bool {
        cursor.index == cursor.group._withUnsafeGuaranteedRef { $0.entries.count }
    }

    /// `HeaderOrder` between cookies of different groups; the earlier cursor has the longer domain.
    private static func precedes(_ left: Cursor, _ right: Cursor) -> Bool {
        let first = left.group._withUnsafeGuaranteedRef { $0.entries[left.index] }
        let second = right.group._withUnsafeGuaranteedRef { $0.entries[right.index] }
        if first.pathCount != second.pathCount { return first.pathCount > second.pathCount }
        return first.creationOrder < second.creationOrder
    }
}

extension [UInt8] {
    /// Appends a pair of a header, and `; ` before it unless it is the first.
    fileprivate mutating func append(
        _ pair: UnsafeBufferPointer<UInt8>, afterSeparator isNext: Bool
    ) {
        append(addingCapacity: pair.count + 2) { output in
            if isNext {
                output.append(ASCII.semicolon)
                output.append(ASCII.space)
            }
            output.withUnsafeMutableBufferPointer { buffer, count in
                guard let source = pair.baseAddress, let target = buffer.baseAddress else { return }
                precondition(pair.count <= buffer.count - count, "no room")
                (target + count).initialize(from: source, count: pair.count)
                count += pair.count
            }
        }
    }
}
