// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import JarStorage

/// Reads a file that comes in pieces, and finds what its entries come to when they are taken one after another.
///
/// A store keeps a few thousand cookies, whatever a file has; so does this. Beside them it holds what became of each
/// entry, a few octets for a line.
struct ImportReading: Sendable {
    private var reader: CookieFileReader
    private var replay: CookieReplay
    private let rules: CookieRules
    private let now: Timestamp
    private var positions: [FileEntry.Position] = []
    private var outcomes: [ImportOutcome] = []
    /// The context of the latest URL, as files tend to have few; nil for one that has no cookies.
    private var latest: (url: [UInt8], context: ResponseContext?)?

    /// A reading that has not begun.
    init(
        as named: CookieFormat?, _ context: ReadingContext, rules: CookieRules
    ) {
        reader = CookieFileReader(as: named, context)
        replay = CookieReplay(rules: rules)
        self.rules = rules
        now = context.now
    }

    /// How many entries there were so far.
    var count: Int { outcomes.count }

    /// Takes the next piece of the file.
    mutating func take(_ piece: ArraySlice<UInt8>) throws(CookieFileError) {
        // A little at a time, so that few entries are held at once.
        var rest = piece
        while !rest.isEmpty {
            try reader.take(rest.prefix(Self.stepBytes))
            rest = rest.dropFirst(Self.stepBytes)
            judge()
        }
    }

    /// Says that the file is complete.
    ///
    /// - Returns: What is to be stored.
    mutating func finish() throws(CookieFileError) -> PreparedImport {
        let format = try reader.finish()
        judge()
        let remaining = replay.remaining
        for survivor in remaining where survivor.cookie.isExpired(at: now) {
            outcomes[survivor.first] = .rejected(.alreadyExpired)
            outcomes[survivor.last] = .rejected(.alreadyExpired)
        }
        return PreparedImport(
            format: format, positions: positions, outcomes: outcomes,
            survivors: remaining.filter { !$0.cookie.isExpired(at: now) })
    }

    private static let stepBytes = 32 << 10

    private mutating func judge() {
        for entry in reader.entries {
            positions.append(entry.position)
            let outcome = outcome(of: entry.content)
            outcomes.append(outcome)
            for number in replay.evicted { outcomes[number] = .evicted }
            replay.evicted.removeAll(keepingCapacity: true)
        }
        reader.entries.removeAll(keepingCapacity: true)
    }

    private mutating func outcome(of content: FileEntry.Content) -> ImportOutcome {
        switch content {
        case .fault(let fault): return .unreadable(fault)
        case .cookie(let cookie):
            return ImportOutcome(replay.take(cookie, number: outcomes.count, now: now))
        case .response(let recorded):
            guard let context = context(of: recorded.url) else { return .unreadable(.invalidURL) }
            do throws(CookieRejection) {
                let line = try SetCookie(parsing: recorded.line)
                return ImportOutcome(
                    replay.take(
                        line, from: context, number: outcomes.count, now: recorded.time ?? now))
            } catch {
                return .rejected(error)
            }
        }
    }

    private mutating func context(of url: [UInt8]) -> ResponseContext? {
        if let latest, latest.url == url { return latest.context }
        // A URL that cannot have cookies is no fault of the file.
        let context = (try? CookieURL(parsing: url, names: rules.names)).map {
            ResponseContext(url: $0, source: .imported)
        }
        latest = (url, context)
        return context
    }
}
