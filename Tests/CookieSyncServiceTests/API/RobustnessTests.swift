// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Whatever comes in, an answer goes out")
struct RobustnessTests {
    private let store = "/v1/tenants/acme/jars/alice/stores/native"

    @Test("20 000 mutations of a valid body: taken or refused, never a fault of ours")
    func mutations() throws {
        let live = try LiveService()
        let document = Array(
            #"{"cookies":[{"name":"sid","value":"v","domain":"example.com","path":"/","secure":true}]}"#
                .utf8)
        var generator = SeededGenerator(seed: 20_261_130)
        var counts: [Int: Int] = [:]
        for _ in 0..<20_000 {
            var body = document
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                let index = Int.random(in: body.indices, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: body[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                case 1: body.remove(at: index)
                default:
                    let end = min(body.count, index + Int.random(in: 1...20, using: &generator))
                    body.insert(contentsOf: body[index..<end], at: index)
                }
            }
            let answer = try live.send("PUT", "\(store)/cookies", body)
            counts[answer.status, default: 0] += 1
        }
        #expect(Set(counts.keys).isSubset(of: [200, 400, 413, 422]))
        #expect(counts.count >= 3)
    }

    @Test("HEAD is GET without its body, and gzip changes the bytes and the tag only")
    func variants() throws {
        let live = try LiveService()
        let value = String(repeating: "abcdef", count: 600)
        try live.send(
            "PUT", "\(store)/cookies",
            json: #"{"name":"a","value":"\#(value)","domain":"a.example"}"#)
        let target = "\(store)/cookie-header?url=https://a.example/"
        let get = try live.send("GET", target)
        let head = try live.send("HEAD", target)
        #expect(head.status == 200)
        #expect(head["content-length"] == get["content-length"])
        #expect(head["etag"] == get["etag"])
        let gzip = try live.send("GET", target, nil, ["Accept-Encoding": "gzip"])
        #expect(gzip["content-encoding"] == "gzip")
        #expect(gzip.body.count < 200)
        #expect(gzip["etag"] != get["etag"])
        #expect(
            gzip.fields.filter { $0.name == "vary" }.map(\.value) == ["Accept, Accept-Encoding"])
        let tag = try #require(gzip["etag"])
        let held = ["Accept-Encoding": "gzip", "If-None-Match": tag]
        #expect(try live.send("GET", target, nil, held).status == 304)
        #expect(try live.send("GET", target, nil, ["If-None-Match": tag]).status == 200)
    }

    @Test("a body that nobody asked for is ignored")
    func unwantedBody() throws {
        let live = try LiveService()
        #expect(try live.send("GET", "/healthz", [0x78], type: nil).status == 200)
        #expect(try live.send("DELETE", store, Array("{}".utf8)).status == 204)
    }
}

/// A generator that gives the same numbers for the same seed (xorshift64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
