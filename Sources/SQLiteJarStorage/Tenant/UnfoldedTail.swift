// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// What a tenant has to know about the changes that are not folded yet.
///
/// Kept in memory while the tenant is open, and gathered by one scan when it opens. The jars are folded in rounds, each of
/// them in the order of the jars' numbers: so rows that share a page are written together, and the longer a jar has
/// waited, the more of its rows have others after them and cost nothing.
struct UnfoldedTail {
    /// A jar whose name is not folded either.
    struct NewJar {
        let number: Int64
        let sequence: Int64
    }

    /// The jars that have such changes, by their number.
    private(set) var jars: [Int64: UnfoldedJar] = [:]
    /// The jars that only the log knows.
    private(set) var newJars: [JarID: NewJar] = [:]
    /// How many rows there are.
    private(set) var count = 0
    /// The jars that this round has not come to, the next one last.
    private var round: [Int64] = []

    /// Nothing.
    init() {}

    /// Whether a round is at its end.
    var isBetweenRounds: Bool { round.isEmpty }

    /// The first row that is not of these parts.
    ///
    /// Complexity: O(jars).
    func first(after parts: [FoldPart]) -> Int64? {
        let folded = Dictionary(
            parts.map { ($0.number, $0.rows.count) }, uniquingKeysWith: { _, last in last })
        var first: Int64?
        for (number, jar) in jars {
            let next = folded[number].map { jar.rows.dropFirst($0).first?.sequence } ?? jar.first
            if let next { first = min(first ?? next, next) }
        }
        return first
    }

    /// Adds the row that names a jar; the one of its first change comes next.
    mutating func append(naming name: JarID, jar: Int64, sequence: Int64) {
        newJars[name] = NewJar(number: jar, sequence: sequence)
        jars[jar] = UnfoldedJar(name, naming: sequence)
        count += 1
    }

    /// Adds a change's row.
    mutating func append(
        _ row: UnfoldedJar.Row, of jar: Int64, _ name: JarID, isPresent: Bool,
        _ fact: UnfoldedFact, in store: StoreID
    ) {
        jars[jar, default: UnfoldedJar(name, naming: nil)].append(
            row, isPresent: isPresent, fact, in: store)
        count += 1
    }

    /// What is to be folded next, in the order of the jars' numbers: about `limit` rows of the tables, about `octets` octets.
    ///
    /// A jar for which that is too little goes on in the next round.
    mutating func next(limit: Int, octets: Int) -> [FoldPart] {
        if round.isEmpty { round = jars.keys.sorted(by: >) }
        var parts: [FoldPart] = []
        var (rest, octets) = (limit, octets)
        while rest > 0, octets > 0, let number = round.popLast() {
            guard let jar = jars[number] else { continue }
            let part = jar.part(number: number, limit: rest, octets: octets)
            parts.append(part)
            rest -= part.cost
            octets -= part.octets
        }
        return parts
    }

    /// Forgets what has been folded.
    mutating func drop(_ parts: [FoldPart]) {
        for part in parts {
            count -= part.rows.count + (part.naming == nil ? 0 : 1)
            if part.naming != nil { newJars[part.name] = nil }
            if part.isWhole {
                jars[part.number] = nil
            } else {
                jars[part.number]?.drop(part)
            }
        }
    }
}
