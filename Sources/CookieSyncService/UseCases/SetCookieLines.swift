// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import JarStorage

/// The Set-Cookie lines of one response.
struct SetCookieLines: Sendable {
    private enum Line {
        case parsed(SetCookie)
        case unusable(name: [UInt8], CookieRejection)
    }

    private var lines: [Line] = []
    /// Whether several came folded into one.
    private(set) var isFolded = false
    /// Whether they may have been folded in another way.
    private(set) var isAmbiguous = false

    /// The lines among a response's fields.
    init(in fields: [ResponseField]) {
        for field in fields where field.isNamed("set-cookie") {
            guard field.mayBeFolded else {
                append(Self.read(field.secretValue))
                continue
            }
            let unfolded = FoldedHeader(splitting: Array(field.secretValue))
            isFolded = isFolded || unfolded.lines.count > 1
            isAmbiguous = isAmbiguous || unfolded.isAmbiguous
            for line in unfolded.lines { append(Self.read(line[...])) }
        }
    }

    /// How many there are.
    var count: Int { lines.count }

    /// Takes every line in, in order, and answers a verdict for each.
    func apply(
        to draft: inout JarDraft, in store: StoreID, from context: ResponseContext,
        rules: CookieRules, now: Timestamp
    ) -> [Verdict] {
        lines.map { line in
            switch line {
            case .parsed(let setCookie):
                draft.receive(setCookie, in: store, from: context, rules: rules, now: now)
            case .unusable(let name, let reason):
                Verdict(name: name, outcome: .rejected, reason: reason)
            }
        }
    }

    private mutating func append(_ line: Line) {
        // Nearly all responses have one, and an array of one is made faster than one that grows.
        if lines.isEmpty { lines = [line] } else { lines.append(line) }
    }

    private static func read(_ line: ArraySlice<UInt8>) -> Line {
        do throws(CookieRejection) {
            return .parsed(try SetCookie(parsing: line))
        } catch {
            return .unusable(name: SetCookie.name(of: line), error)
        }
    }
}
