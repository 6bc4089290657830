// SPDX-License-Identifier: Apache-2.0

/// A cookie that has passed every rule that does not depend on what the store holds.
struct Candidate {
    let identity: CookieIdentity
    let value: CookieValue
    let secure: Bool
    let httpOnly: Bool
    let sameSite: SameSite
    let expires: Timestamp?
    let source: CookieSource
    let legacy: LegacyAttributes?
    /// Whether a script set it.
    let fromScript: Bool
    /// Whether it came over a connection that counts as secure.
    let fromSecureOrigin: Bool

    /// The storage model (section 5.7) in its own order, so that the first broken rule is the one
    /// named.
    init(
        _ line: borrowing SetCookie, from context: borrowing ResponseContext, rules: CookieRules,
        now: Timestamp
    ) throws(CookieRejection) {
        let host = context.url.host
        let scope = try DomainScope(attribute: line.domain, host: host, rules: rules)
        fromSecureOrigin = rules.isSecure(context.url)
        fromScript = !context.httpAPI
        if line.secure, !fromSecureOrigin { throw .secureRequired }
        if line.httpOnly, fromScript { throw .httpOnlyFromScript }
        if context.sameSiteContext == .crossSite, line.sameSite != .none {
            throw .sameSiteCrossSite
        }
        if line.sameSite == .none, !line.secure { throw .sameSiteNoneInsecure }
        let hasRootPath = line.path.map { $0 == [ASCII.slash] } ?? false
        try Self.checkPrefix(
            name: line.name, value: line.value, secure: line.secure, httpOnly: line.httpOnly,
            isHostWide: scope.hostOnly && hasRootPath, fromHTTP: context.httpAPI)
        let path = line.path.flatMap { $0.first == ASCII.slash ? $0 : nil }
        let partition = try Self.partitionKey(of: line, from: context, rules: rules)
        identity = CookieIdentity(
            name: line.name, domain: scope.domain, hostOnly: scope.hostOnly,
            path: path ?? CookiePath.defaultPath(of: context.url.path), partitionKey: partition)
        value = line.value
        secure = line.secure
        httpOnly = line.httpOnly
        sameSite = line.sameSite
        expires = Lifetime.expiry(of: line, serverDate: context.serverDate, now: now, rules: rules)
        source = context.source
        legacy = nil
    }

    /// A finished cookie: the same rules, and those that parsing a line would have enforced.
    init(
        _ finished: FinishedCookie, rules: CookieRules, now: Timestamp
    ) throws(CookieRejection) {
        try finished.checkOctets()
        let scope = try DomainScope(finished, rules: rules)
        fromSecureOrigin = true
        fromScript = false
        if finished.sameSite == .none, !finished.secure { throw .sameSiteNoneInsecure }
        try Self.checkPrefix(
            name: finished.name, value: finished.value, secure: finished.secure,
            httpOnly: finished.httpOnly,
            isHostWide: scope.hostOnly && finished.path == [ASCII.slash], fromHTTP: true)
        var partition: [UInt8]?
        if let text = finished.partitionKey {
            guard finished.secure else { throw .partitionedInsecure }
            partition = PartitionKey.canonical(text, rules: rules)
            guard partition != nil else { throw .invalidPartitionKey }
        }
        if let expires = finished.expires, expires <= now { throw .alreadyExpired }
        identity = CookieIdentity(
            name: finished.name, domain: scope.domain, hostOnly: scope.hostOnly,
            path: finished.path, partitionKey: partition)
        value = finished.value
        secure = finished.secure
        httpOnly = finished.httpOnly
        sameSite = finished.sameSite
        expires = finished.expires.map { Lifetime.capped($0, now: now, rules: rules) }
        source = finished.source
        legacy = finished.legacy
    }

    /// Sections 5.4 and 5.7 steps 20 to 22: a prefix binds the name, and a nameless cookie may
    /// not imitate one, since it is sent as its value alone.
    private static func checkPrefix(
        name: [UInt8], value: CookieValue, secure: Bool, httpOnly: Bool, isHostWide: Bool,
        fromHTTP: Bool
    ) throws(CookieRejection) {
        if name.isEmpty, NamePrefix(of: value.bytes) != nil { throw .namelessPrefix }
        guard let prefix = NamePrefix(of: name) else { return }
        let isAllowed = prefix.allows(
            secure: secure, httpOnly: httpOnly, isHostWide: isHostWide, fromHTTP: fromHTTP)
        guard isAllowed else { throw prefix.rejection }
    }

    private static func partitionKey(
        of line: SetCookie, from context: ResponseContext, rules: CookieRules
    ) throws(CookieRejection) -> [UInt8]? {
        guard line.partitioned else { return nil }
        guard line.secure else { throw .partitionedInsecure }
        guard let text = context.partitionKey else {
            return PartitionKey.site(of: context.url, rules: rules)
        }
        guard let key = PartitionKey.canonical(text, rules: rules) else {
            throw .invalidPartitionKey
        }
        return key
    }
}

extension FinishedCookie {
    /// What a `Set-Cookie` line could not have carried is refused: it would not survive being
    /// written as one.
    fileprivate func checkOctets() throws(CookieRejection) {
        let value = value.bytes
        guard Self.isPiece(name), !name.contains(ASCII.equals), !name.isEmpty || !value.isEmpty
        else { throw .invalidName }
        guard Self.isPiece(value) else { throw .invalidValue }
        guard name.count + value.count <= CookieLimits.nameAndValueOctets else {
            throw .nameValueTooLong
        }
        guard path.first == ASCII.slash, Self.isPiece(path) else { throw .invalidPath }
        guard path.count <= CookieLimits.attributeOctets,
            domain.count <= CookieLimits.attributeOctets
        else { throw .attributeTooLong }
    }

    /// Free of `;` and control characters, and without blanks at its ends.
    private static func isPiece(_ bytes: [UInt8]) -> Bool {
        if let first = bytes.first, ASCII.isBlank(first) { return false }
        if let last = bytes.last, ASCII.isBlank(last) { return false }
        return !bytes.contains { $0 == ASCII.semicolon || ASCII.isForbiddenControl($0) }
    }
}
