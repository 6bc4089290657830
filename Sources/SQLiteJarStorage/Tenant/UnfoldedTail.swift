// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// What a tenant has to know about the changes that are not folded yet: where they are, and where they leave
/// the jar.
///
/// Kept in memory while the tenant is open, and gathered by one scan when it opens.
struct UnfoldedTail {
    /// The changes of one jar.
    struct Jar {
        var sequences: [Int64] = []
        var revision = Revision.zero
        var isPresent = false

        mutating func append(_ sequence: Int64, _ revision: Revision, _ isPresent: Bool) {
            sequences.append(sequence)
            self.revision = revision
            self.isPresent = isPresent
        }
    }

    /// A jar whose name is not folded either.
    struct NewJar {
        let number: Int64
        let sequence: Int64
    }

    /// The jars that have such changes, by their number.
    private(set) var jars: [Int64: Jar] = [:]
    /// The jars that only the log knows.
    private(set) var newJars: [JarID: NewJar] = [:]

    /// Adds the row that names a jar.
    mutating func append(naming name: JarID, jar: Int64, sequence: Int64) {
        newJars[name] = NewJar(number: jar, sequence: sequence)
    }

    /// Adds a change's row.
    mutating func append(sequence: Int64, jar: Int64, revision: Revision, isPresent: Bool) {
        jars[jar, default: Jar()].append(sequence, revision, isPresent)
    }

    /// Forgets the rows up to that sequence, which are folded now.
    mutating func drop(through sequence: Int64) {
        for (number, jar) in jars {
            guard let first = jar.sequences.first, first <= sequence else { continue }
            let rest = jar.sequences.drop { $0 <= sequence }
            if rest.isEmpty {
                jars[number] = nil
            } else {
                jars[number]?.sequences = Array(rest)
            }
        }
        newJars = newJars.filter { $0.value.sequence > sequence }
    }
}
