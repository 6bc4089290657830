// SPDX-License-Identifier: Apache-2.0

import Cookies
import Testing

@Suite("Cookies that are replayed")
struct CookieReplayTests {
    private func cookie(
        _ name: String, _ value: String = "v", domain: String = "a.example", secure: Bool = true,
        partition: String? = nil
    ) -> FinishedCookie {
        FinishedCookie(
            name: Array(name.utf8), value: Array(value.utf8), domain: Array(domain.utf8),
            secure: secure, partitionKey: partition.map { Array($0.utf8) })
    }

    /// What a store holds after the same cookies, taken one by one.
    private func storeAfter(_ cookies: [FinishedCookie], _ rules: CookieRules) -> CookieStore {
        var store = CookieStore()
        for (number, finished) in cookies.enumerated() {
            let decision = store.decide(
                finished, rules: rules, now: World.now, order: UInt64(number))
            guard case .store(let cookie, _) = decision else { continue }
            store.upsert(cookie)
            for victim in store.evictions(
                afterStoring: cookie.identity, rules: rules, now: World.now)
            {
                store.remove(victim)
            }
        }
        return store
    }

    @Test("leave what a store would hold, limits included", arguments: 1...6)
    func sameAsStore(seed: UInt64) throws {
        var limits = CookieLimits()
        (limits.perDomain, limits.perDomainAfterEviction) = (6, 4)
        (limits.perStore, limits.perStoreAfterEviction) = (20, 15)
        (limits.perPartition, limits.partitionOctets) = (3, 20)
        let rules = try World.rules(limits: limits)
        var random = SeededGenerator(seed: seed)
        let cookies = (0..<400).map { _ in
            let partition = Int.random(in: 0..<4, using: &random) == 0
            return cookie(
                "n\(Int.random(in: 0..<12, using: &random))",
                String(repeating: "v", count: Int.random(in: 0..<9, using: &random)),
                domain:
                    "\(["", "x."].randomElement(using: &random) ?? "")s\(Int.random(in: 0..<8, using: &random)).example",
                secure: partition || Bool.random(using: &random),
                partition: partition ? "https://top.example" : nil)
        }
        var replay = CookieReplay(rules: rules)
        for (number, finished) in cookies.enumerated() {
            _ = replay.take(finished, number: number, now: World.now)
        }
        var expected: [CookieIdentity: [UInt8]] = [:]
        storeAfter(cookies, rules).forEach { expected[$0.identity] = $0.value.bytes }
        let left = replay.remaining.map { ($0.cookie.identity, $0.cookie.value.bytes) }
        #expect(Dictionary(uniqueKeysWithValues: left) == expected)
        #expect(replay.count == expected.count)
    }

    @Test("are told apart by number, the first and the last of each")
    func numbers() throws {
        var replay = CookieReplay(rules: try World.rules())
        let events = [cookie("a"), cookie("a"), cookie("a", "w"), cookie("b"), cookie("=")]
            .enumerated().map { replay.take($1, number: $0, now: World.now) }
        #expect(
            events == [.stored, .unchanged, .replaced, .stored, .rejected(.invalidName)])
        #expect(replay.remaining.map(\.first) == [0, 3])
        #expect(replay.remaining.map(\.last) == [2, 3])
    }

    @Test("a line that is expired ends what the lines before it set, and nothing else")
    func deletion() throws {
        var replay = CookieReplay(rules: try World.rules())
        let context = ResponseContext(url: try World.url("https://www.example.com/"))
        let lines = ["a=1", "a=; Max-Age=0", "a=; Max-Age=0", "b=1; Secure"]
        let events = try lines.enumerated().map {
            replay.take(
                try SetCookie(parsing: Array($1.utf8)), from: context, number: $0, now: World.now)
        }
        #expect(events == [.stored, .deleted, .rejected(.alreadyExpired), .stored])
        let insecure = ResponseContext(url: try World.url("http://www.example.com/"))
        let overlay = try SetCookie(parsing: Array("b=2".utf8))
        #expect(
            replay.take(overlay, from: insecure, number: 4, now: World.now)
                == .rejected(.secureOverlay))
        #expect(replay.remaining.map(\.last) == [3])
    }
}
