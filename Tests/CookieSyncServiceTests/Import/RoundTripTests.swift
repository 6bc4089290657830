// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import Cookies
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("What is exported and imported again")
struct RoundTripTests {
    private static let now = StorageWorld.start
    private static let page = "https://a.www.example.com/"

    /// A format, and the form of property dictionaries.
    private static let forms: [(CookieFormat, WritingContext.PropertyForm)] =
        CookieFormat.allCases.filter(\.isWritable).map { ($0, .json) } + [
            (.properties, .propertyList)
        ]

    /// The cookies that are left of some that were put one after another.
    private func store(_ seed: UInt64) -> [Cookie] {
        var random = SeededGenerator(seed: seed)
        var replay = CookieReplay(rules: StorageWorld.rules)
        for number in 0..<40 {
            _ = replay.take(Self.cookie(&random), number: number, now: Self.now)
        }
        return replay.remaining.map(\.cookie)
    }

    private static func cookie(_ random: inout SeededGenerator) -> FinishedCookie {
        let prefix = ["", "", "a", "__Host-", "__Secure-"].randomElement(using: &random) ?? ""
        let hosts = ["example.com", "www.example.com", "a.www.example.com", "127.0.0.1", "[::1]"]
        let isPartitioned = Int.random(in: 0..<8, using: &random) == 0
        let lifetime = Int64.random(in: 1_000...30_000_000_000, using: &random)
        let legacy = LegacyAttributes(
            version: 1, comment: Array("é <&>".utf8), port: Array("80,443".utf8))
        return FinishedCookie(
            name: Array(prefix.utf8) + text(6, &random), value: text(12, &random),
            domain: Array((hosts.randomElement(using: &random) ?? "").utf8),
            hostOnly: .random(using: &random),
            path: [0x2F] + (Bool.random(using: &random) ? text(6, &random) : []),
            secure: isPartitioned || .random(using: &random), httpOnly: .random(using: &random),
            sameSite: [.unset, .none, .lax, .strict].randomElement(using: &random) ?? .unset,
            partitionKey: isPartitioned ? Array("https://top.example".utf8) : nil,
            expires: Bool.random(using: &random)
                ? Timestamp(milliseconds: now.milliseconds + lifetime) : nil,
            legacy: Int.random(in: 0..<4, using: &random) == 0 ? legacy : nil)
    }

    /// A text of what formats quote, and now and then an octet that is no UTF-8.
    private static func text(_ length: Int, _ random: inout SeededGenerator) -> [UInt8] {
        let characters = Array(
            "abc019-_.~!#$%&'()*+/:<=>?@[]^`{|}\"\\ ,\té☃😀\u{2028}\u{A0}\u{FEFF}")
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...length, using: &random) {
            text += Array(String(characters.randomElement(using: &random) ?? "x").utf8)
        }
        if Int.random(in: 0..<40, using: &random) == 0 { text.append(0xFF) }
        return text
    }

    /// What is compared of a cookie: all of it but what is said to be lost.
    private struct Facts: Hashable {
        let identity: CookieIdentity
        let value: [UInt8]
        let flags: [Bool]
        let sameSite: SameSite?
        let expires: Int64?
        let legacy: LegacyAttributes?

        init(_ cookie: Cookie, but lost: LostAttributes) {
            identity = cookie.identity
            value = cookie.value.bytes
            flags = [cookie.secure, cookie.httpOnly]
            sameSite = lost.contains(.sameSite) ? nil : cookie.sameSite
            let unit: Int64 = lost.contains(.expiresFraction) ? 1000 : 1
            expires = cookie.expires.map { $0.milliseconds / unit * unit }
            legacy = lost.contains(.legacy) ? nil : cookie.legacy
        }
    }

    private func stored(_ cookies: [Cookie]) -> CookieStore {
        var store = CookieStore()
        store.insert(contentsOf: cookies)
        return store
    }

    @Test("is the same but for what was said to be lost, in the same order", arguments: forms)
    func roundTrip(format: CookieFormat, form: WritingContext.PropertyForm) throws {
        for seed in 0..<60 as Range<UInt64> {
            let cookies = store(seed)
            #expect(cookies.count > 5)
            var writing = WritingContext()
            writing.propertyForm = form
            writing.url = try CookieURL(
                parsing: Array(Self.page.utf8), names: StorageWorld.rules.names)
            writing.isSecure = true
            var selection = CookieSelection(stored(cookies))
            let places = Dictionary(
                uniqueKeysWithValues: zip(cookies.map(\.identity), cookies.indices))
            selection.sort {
                places[$0.identity] ?? -1
            } _: {
                $0 < $1
            }
            var writer = try #require(format.writer(selection, writing))
            let losses = Dictionary(
                uniqueKeysWithValues: writer.losses.map { ($0.identity, $0.attributes) })
            let kept = cookies.filter { !(losses[$0.identity] ?? []).isWhole }
            // A file without any cookie may have no octet, and is then no file.
            guard !kept.isEmpty else { continue }
            var file: [UInt8] = []
            _ = writer.write(into: &file)

            var reading = ReadingContext(now: Self.now)
            reading.url = Array(Self.page.utf8)
            var importing = ImportReading(as: nil, reading, rules: StorageWorld.rules)
            try importing.take(file[...])
            let prepared = try importing.finish()
            #expect(prepared.format == format)
            #expect(prepared.outcomes.allSatisfy { $0 == .stored }, "seed \(seed)")
            let facts = { (cookie: Cookie) in
                Facts(cookie, but: losses[cookie.identity] ?? [])
            }
            let read = prepared.survivors.map { facts($0.cookie) }
            let wanted = kept.map(facts)
            if format == .cookieCloud {
                #expect(Set(read) == Set(wanted), "seed \(seed)")
            } else {
                #expect(read == wanted, "seed \(seed)")
            }
        }
    }
}
