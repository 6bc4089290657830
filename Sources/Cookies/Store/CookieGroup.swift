// SPDX-License-Identifier: Apache-2.0

/// The cookies of one domain, ready to be served.
///
/// Never changed once made, but for the times of the last access: an update builds a new group.
///
/// They lie in header order (section 5.8.3): longer paths first, then earlier creation. Each is one
/// `Entry` of fixed size, and all their octets are one run; a `Cookie` is made of them only where
/// one is asked for. So a cookie costs little more memory than its octets, a fetch touches no
/// reference counts, and an update copies two runs of memory.
final class CookieGroup: Sendable {
    let domain: [UInt8]
    let entries: [Entry]
    let octets: [UInt8]
    let accesses: AccessTimes
    /// What files said beside, for each cookie; empty when they said nothing of any.
    fileprivate let legacy: [LegacyAttributes?]

    private init(domain: [UInt8], _ content: consuming Content) {
        self.domain = domain
        accesses = AccessTimes(of: content.entries)
        entries = content.entries
        octets = content.octets
        legacy = content.legacy
    }

    /// A group of cookies of that domain in any order, each identity once; nil of none.
    ///
    /// Complexity: O(n log n).
    convenience init?(domain: [UInt8], _ cookies: [Cookie]) {
        guard !cookies.isEmpty else { return nil }
        var content = Content()
        content.reserve(cookies.count, octets: cookies.reduce(0) { $0 + Entry.octets(of: $1) })
        for cookie in cookies.sorted(by: HeaderOrder.precedes) { content.append(cookie) }
        self.init(domain: domain, content)
    }

    /// A group of one.
    convenience init(_ cookie: Cookie) {
        var content = Content()
        content.reserve(1, octets: Entry.octets(of: cookie))
        content.append(cookie)
        self.init(domain: cookie.identity.domain, content)
    }

    /// A cookie as it is now.
    func cookie(at index: Int) -> Cookie {
        octets.withUnsafeBufferPointer {
            entries[index].cookie(
                of: domain, in: $0, lastAccess: accesses[index],
                legacy: legacy.isEmpty ? nil : legacy[index])
        }
    }

    /// Whether the cookie at a place has the same content as one of its identity, as `Cookie.hasSameContent` says.
    func hasContent(of cookie: Cookie, at index: Int) -> Bool {
        (legacy.isEmpty ? nil : legacy[index]) == cookie.legacy
            && octets.withUnsafeBufferPointer { entries[index].hasContent(of: cookie, in: $0) }
    }

    /// Which cookie it is.
    func identity(at index: Int) -> CookieIdentity {
        octets.withUnsafeBufferPointer { entries[index].identity(of: domain, in: $0) }
    }

    /// The cookies as they are now.
    var currentCookies: [Cookie] { entries.indices.map(cookie) }

    /// The place of a cookie.
    ///
    /// Complexity: O(cookies of the domain), without allocation.
    func index(of identity: CookieIdentity) -> Int? {
        octets.withUnsafeBufferPointer { octets in
            entries.firstIndex { $0.identifies(identity, in: octets) }
        }
    }

    /// The group with the cookie at `index` (if any) taken out and `cookie` put in at its place in
    /// the order.
    ///
    /// Complexity: O(octets of the domain).
    func replacing(_ index: Int?, with cookie: Cookie) -> CookieGroup {
        let place = index.flatMap { staysInPlace($0, as: cookie) ? $0 : nil } ?? place(of: cookie)
        var content = Content()
        content.reserve(entries.count + 1, octets: octets.count + Entry.octets(of: cookie))
        content.append(self, 0..<place, leavingOut: index)
        content.append(cookie)
        content.append(self, place..<entries.count, leavingOut: index)
        return CookieGroup(domain: domain, content)
    }

    /// The group without a cookie; nil when it was the last.
    func removing(_ index: Int) -> CookieGroup? {
        guard entries.count > 1 else { return nil }
        var content = Content()
        content.reserve(entries.count - 1, octets: octets.count)
        content.append(self, 0..<entries.count, leavingOut: index)
        return CookieGroup(domain: domain, content)
    }

    /// About how many bytes of memory it takes, with what its containers add.
    var footprint: Int {
        320 + domain.count + octets.count + entries.count * (MemoryLayout<Entry>.stride + 8)
    }

    /// Whether a new version of the cookie at `index` stands where the old one did, as nearly all do.
    private func staysInPlace(_ index: Int, as cookie: Cookie) -> Bool {
        entries[index].creationOrder == cookie.creationOrder
            && entries[index].pathCount == cookie.identity.path.count
    }

    /// The first place whose cookie does not come before this one.
    ///
    /// Complexity: O(log n).
    private func place(of cookie: Cookie) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if precedes(middle, cookie) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// `HeaderOrder`, which rarely needs more than two numbers.
    private func precedes(_ index: Int, _ cookie: Cookie) -> Bool {
        let entry = entries[index]
        let pathCount = cookie.identity.path.count
        if entry.pathCount != pathCount { return entry.pathCount > pathCount }
        if entry.creationOrder != cookie.creationOrder {
            return entry.creationOrder < cookie.creationOrder
        }
        return HeaderOrder.precedes(self.cookie(at: index), cookie)
    }
}

/// A group's cookies while it is built.
private struct Content: ~Copyable {
    var entries: [CookieGroup.Entry] = []
    var octets: [UInt8] = []
    var legacy: [LegacyAttributes?] = []

    mutating func reserve(_ count: Int, octets octetCount: Int) {
        entries.reserveCapacity(count)
        octets.reserveCapacity(octetCount)
    }

    mutating func append(_ cookie: Cookie) {
        if !legacy.isEmpty || cookie.legacy != nil { note(CollectionOfOne(cookie.legacy)) }
        entries.append(CookieGroup.Entry(cookie, octets: &octets))
    }

    /// Notes the legacy attributes of cookies that are about to be appended.
    private mutating func note(_ new: some Collection<LegacyAttributes?>) {
        guard !legacy.isEmpty || new.contains(where: { $0 != nil }) else { return }
        legacy += repeatElement(nil, count: entries.count - legacy.count)
        legacy += new
    }

    /// Appends cookies of a group as they are now, but for one of them.
    mutating func append(_ group: CookieGroup, _ range: Range<Int>, leavingOut hole: Int?) {
        guard let hole, range.contains(hole) else { return append(group, range) }
        append(group, range.lowerBound..<hole)
        append(group, hole + 1..<range.upperBound)
    }

    /// Appends cookies of a group as they are now: their octets in one run.
    private mutating func append(_ group: CookieGroup, _ range: Range<Int>) {
        guard let first = range.first, let last = range.last else { return }
        let start = group.entries[first].start
        let destination = octets.count
        group.octets.withUnsafeBufferPointer {
            octets.append(
                contentsOf: UnsafeBufferPointer(rebasing: $0[start..<group.entries[last].end]))
        }
        if !legacy.isEmpty || !group.legacy.isEmpty {
            note(range.lazy.map { group.legacy.isEmpty ? nil : group.legacy[$0] })
        }
        for index in range {
            let entry = group.entries[index]
            entries.append(
                entry.moved(
                    to: destination + entry.start - start, lastAccess: group.accesses[index]))
        }
    }
}
