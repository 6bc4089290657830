// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What a tenant knows in memory about the changes of one jar that are not folded yet: where they are, where they leave
/// the jar, and which of them the keyed tables need.
///
/// They need few: of the rows of a cookie that is set again and again, the last one alone.
struct UnfoldedJar {
    /// A change.
    struct Row {
        let sequence: Int64
        let revision: Revision
    }

    /// A row that says something of a cookie, and has to be folded.
    private struct CookieRow {
        let hash: UInt64
        let store: StoreID
        let identity: CookieIdentity
        var sequence: Int64
        var octets: Int
        /// Whether it need not be folded when another row of the cookie follows.
        var isPlain: Bool

        func isOf(_ fact: UnfoldedFact.Cookie, in store: StoreID) -> Bool {
            hash == fact.hash && self.store == store && identity == fact.identity
        }
    }

    /// A row that says something of a store, and has to be folded.
    private struct StoreRow {
        let store: StoreID
        let sequence: Int64
        let isDeletion: Bool
    }

    let name: JarID
    /// The row that names the jar, if that is not folded either.
    private(set) var naming: Int64?
    /// All changes, in order.
    private(set) var rows: [Row] = []
    /// Whether the jar exists for clients after the last of them.
    private(set) var isPresent = false
    private var cookies: [CookieRow] = []
    private var stores: [StoreRow] = []
    /// The place of the last row of a cookie by the hash of its identity, where there are many.
    private var places: [UInt64: Int] = [:]

    /// From how many rows on they are found by a table.
    private static let few = 16

    init(_ name: JarID, naming: Int64?) {
        self.name = name
        self.naming = naming
    }

    /// The jar's revision after the last change.
    var revision: Revision { rows.last?.revision ?? .zero }
    /// The first row, the one with the jar's name included.
    var first: Int64? { naming ?? rows.first?.sequence }
    /// How many rows of the log there are.
    var count: Int { rows.count + (naming == nil ? 0 : 1) }

    /// Adds the row of a change.
    mutating func append(_ row: Row, isPresent: Bool, _ fact: UnfoldedFact, in store: StoreID) {
        rows.append(row)
        self.isPresent = isPresent
        switch fact {
        case .cookie(let cookie):
            append(cookie, in: store, row.sequence)
            // That a cookie is replaced says nothing new of its store.
            if cookie.isNew { append(store, row.sequence, isDeletion: false) }
        case .configured:
            stores.append(StoreRow(store: store, sequence: row.sequence, isDeletion: false))
        case .storeDeleted:
            stores.append(StoreRow(store: store, sequence: row.sequence, isDeletion: true))
        }
    }

    /// Of the cookies that make a store present one is enough.
    private mutating func append(_ store: StoreID, _ sequence: Int64, isDeletion: Bool) {
        if let last = stores.last(where: { $0.store == store }), !last.isDeletion { return }
        stores.append(StoreRow(store: store, sequence: sequence, isDeletion: isDeletion))
    }

    private mutating func append(
        _ fact: UnfoldedFact.Cookie, in store: StoreID, _ sequence: Int64
    ) {
        if let place = place(of: fact, in: store), cookies[place].isPlain {
            cookies[place].sequence = sequence
            cookies[place].octets = fact.octets
            cookies[place].isPlain = fact.isPlain
            return
        }
        cookies.append(
            CookieRow(
                hash: fact.hash, store: store, identity: fact.identity, sequence: sequence,
                octets: fact.octets, isPlain: fact.isPlain))
        if cookies.count == Self.few { indexCookies() }
        if cookies.count > Self.few { places[fact.hash] = cookies.count - 1 }
    }

    /// The last row of a cookie; where two have one hash, that of the one that came later, or none.
    private func place(of fact: UnfoldedFact.Cookie, in store: StoreID) -> Int? {
        guard cookies.count >= Self.few else {
            return cookies.lastIndex { $0.isOf(fact, in: store) }
        }
        guard let place = places[fact.hash], cookies[place].isOf(fact, in: store) else {
            return nil
        }
        return place
    }

    private mutating func indexCookies() {
        places.removeAll(keepingCapacity: true)
        guard cookies.count >= Self.few else { return }
        for (place, cookie) in cookies.enumerated() { places[cookie.hash] = place }
    }
}

// What is folded at a time.
extension UnfoldedJar {
    /// The first rows of the jar: all of them, or as far as those that the tables need are at most `limit` and hold
    /// about `octets` octets; at least one.
    func part(number: Int64, limit: Int, octets: Int) -> FoldPart {
        let end = end(limit: limit, octets: octets)
        let taken = rows.prefix { $0.sequence < end }
        let cookies = cookies.filter { $0.sequence < end }.sorted(by: Self.precedes)
        return FoldPart(
            number: number, name: name, naming: naming, rows: taken,
            stores: stores.filter { $0.sequence < end }.map(\.sequence),
            cookies: cookies.map(\.sequence), octets: cookies.reduce(0) { $0 + $1.octets },
            isPresent: isPresent, isWhole: taken.count == rows.count)
    }

    /// Before which row a part ends.
    private func end(limit: Int, octets: Int) -> Int64 {
        guard
            cookies.count + stores.count > limit
                || cookies.reduce(0, { $0 + $1.octets }) > octets
        else { return .max }
        var needed = cookies.map { ($0.sequence, $0.octets) }
        // A cookie's row may be one of its store as well.
        needed += stores.map { ($0.sequence, 0) }
        needed.sort { $0.0 < $1.0 }
        var (count, sum, last) = (0, 0, Int64.min)
        for (sequence, size) in needed {
            let isFull = count >= limit || sum + size > octets
            if count > 0, isFull, sequence != last { return sequence }
            (count, sum, last) = (count + 1, sum + size, sequence)
        }
        return .max
    }

    /// In the order of the table's key; rows of one cookie in their order.
    private static func precedes(_ left: CookieRow, _ right: CookieRow) -> Bool {
        if left.store != right.store { return left.store < right.store }
        let (one, other) = (left.identity, right.identity)
        if one.domain != other.domain { return one.domain.lexicographicallyPrecedes(other.domain) }
        if one.name != other.name { return one.name.lexicographicallyPrecedes(other.name) }
        if one.path != other.path { return one.path.lexicographicallyPrecedes(other.path) }
        return left.sequence < right.sequence
    }

    /// Forgets the rows of a part, which are folded now.
    mutating func drop(_ part: FoldPart) {
        naming = nil
        rows.removeFirst(part.rows.count)
        let next = rows.first?.sequence ?? .max
        cookies.removeAll { $0.sequence < next }
        stores.removeAll { $0.sequence < next }
        indexCookies()
    }
}

/// What is folded of a jar at a time.
struct FoldPart {
    let number: Int64
    let name: JarID
    /// The row with the jar's name, unless that is folded.
    let naming: Int64?
    /// The changes.
    let rows: ArraySlice<UnfoldedJar.Row>
    /// The sequences of those that say something of a store, in order.
    let stores: [Int64]
    /// The sequences of those that say something of a cookie, in the order of the keys.
    let cookies: [Int64]
    /// About how many octets the latter hold.
    let octets: Int
    /// Whether the jar exists for clients.
    let isPresent: Bool
    /// Whether nothing of the jar is left.
    let isWhole: Bool

    /// How many rows are written for it, about.
    var cost: Int { stores.count + cookies.count + 1 }
}
