// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Queries that were read before")
struct ReadQuestionsTests {
    private let questions = ReadQuestions()

    /// Asks, and tells whether the query had to be read.
    private func isRead(_ query: String, on loop: Int = 0) -> Bool {
        Array(query.utf8).withUnsafeBufferPointer { bytes in
            guard questions.meaning(of: bytes, on: loop) == nil else { return false }
            questions.note(GetCookieHeader(request: nil), of: bytes, on: loop)
            return true
        }
    }

    @Test("are not read again, each byte of a query counting")
    func remembers() {
        #expect(isRead("url=a"))
        #expect(!isRead("url=a"))
        #expect(isRead("url=A"))
        #expect(isRead("url=ab"))
        #expect(isRead(""))
        #expect(isRead("url=a", on: 1), "each loop remembers for itself")
        #expect(!isRead("url=a", on: 1))
    }

    @Test("are read every time when they are long")
    func forgets() {
        let long = String(repeating: "x", count: 513)
        #expect(isRead(long))
        #expect(isRead(long))
    }

    @Test("never stand for one another, however many there are")
    func manyURLs() throws {
        let live = try LiveService()
        let store = "/v1/tenants/acme/jars/alice/stores/native"
        let paths = (0..<600).map { "/p\($0)/" }
        let cookies = paths.map {
            #"{"name":"n","value":"\#($0)","domain":"a.example","path":"\#($0)"}"#
        }
        for batch in [cookies[..<100], cookies[100..<140]] {
            try live.send("PUT", "\(store)/cookies", json: "[\(batch.joined(separator: ","))]")
        }
        for round in 0..<2 {
            for (index, path) in paths.enumerated() {
                let answer = try live.send(
                    "GET", "\(store)/cookie-header?url=https://a.example\(path)", nil,
                    ["Accept": "text/plain"])
                #expect(answer.text == (index < 140 ? "n=\(path)" : ""), "round \(round)")
            }
        }
    }
}
