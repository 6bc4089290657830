// SPDX-License-Identifier: Apache-2.0

/// A request, asked about cookie by cookie.
///
/// The one place that decides what is sent (section 5.8.3 step 1): the header, the list of matches
/// and the explanation all go through `obstacles`. The request and the rules are passed each time instead of kept: keeping
/// them would mean to take a reference to each of their parts.
struct RetrievalQuestion: ~Copyable {
    private let now: Timestamp
    private let isSecure: Bool
    private var partition: [UInt8]??

    /// How long a cookie without SameSite is sent with a cross-site POST after its creation, in
    /// seconds (lax-allow-unsafe; single sign-on by form needs it).
    private static let laxAllowUnsafeSeconds: Int64 = 120

    init(_ request: RequestContext, rules: CookieRules, now: Timestamp) {
        self.now = now
        // Most are, and the rules, which would be given a copy of the URL, are not asked.
        isSecure = request.url.isSecure || rules.isSecure(request.url)
    }

    /// What keeps a cookie from the request.
    ///
    /// - Parameters:
    ///   - index: the cookie's place in its group.
    ///   - group: the group.
    ///   - relation: how the group's domain relates to the requested host.
    ///   - request: the request that the question was made for.
    ///   - rules: the rules that it was made with.
    /// - Returns: nothing in the set when the cookie is sent.
    mutating func obstacles(
        _ index: Int, of group: CookieGroup, _ relation: DomainRelation, _ request: RequestContext,
        _ rules: CookieRules
    ) -> RetrievalObstacles {
        let entry = group.entries[index]
        var found = RetrievalObstacles()
        found.insert(.domainMismatch, if: !relation.admits(hostOnly: entry.hostOnly))
        found.insert(.pathMismatch, if: !pathMatches(entry, of: group, request))
        found.insert(.secureRequired, if: entry.secure && !isSecure)
        found.insert(.httpOnly, if: entry.httpOnly && !request.httpAPI)
        found.insert(.sameSite, if: !isSameSiteAllowed(entry, request.sameSiteContext))
        found.insert(.expired, if: entry.isExpired(at: now))
        if entry.isPartitioned {
            let isOfRequest = partition(of: request, rules).map { key in
                group.octets.withUnsafeBufferPointer {
                    $0.piece(entry.partitionKey).isSame(as: key)
                }
            }
            found.insert(.partitionMismatch, if: isOfRequest != true)
        }
        return found
    }

    private func pathMatches(
        _ entry: CookieGroup.Entry, of group: CookieGroup, _ request: RequestContext
    ) -> Bool {
        group.octets.withUnsafeBufferPointer { octets in
            request.url.path.withUnsafeBufferPointer {
                CookiePath.matches(request: $0, path: octets.piece(entry.path))
            }
        }
    }

    private func isSameSiteAllowed(
        _ entry: CookieGroup.Entry, _ context: SameSiteContext
    ) -> Bool {
        if entry.sameSite == .none { return true }
        switch context {
        case .strict: return true
        case .lax: return entry.sameSite != .strict
        case .laxUnsafe:
            return entry.sameSite == .unset
                && now <= entry.createdAt.adding(seconds: Self.laxAllowUnsafeSeconds)
        case .crossSite: return false
        }
    }

    /// The request's partition: computed when the first partitioned cookie is met, as most stores
    /// have none.
    private mutating func partition(
        of request: RequestContext, _ rules: CookieRules
    ) -> [UInt8]? {
        if let partition { return partition }
        let key =
            if let text = request.partitionKey {
                PartitionKey.canonical(text, rules: rules)
            } else {
                PartitionKey.site(of: request.url, rules: rules) as [UInt8]?
            }
        partition = .some(key)
        return key
    }
}

/// How a group's domain relates to a requested host.
enum DomainRelation {
    case same
    case parent
    case unrelated

    /// Whether the domain part of the decision lets a cookie through.
    func admits(hostOnly: Bool) -> Bool {
        switch self {
        case .same: true
        case .parent: !hostOnly
        case .unrelated: false
        }
    }
}
