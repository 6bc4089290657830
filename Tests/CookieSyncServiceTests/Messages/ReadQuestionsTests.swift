// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Queries that were read before")
struct ReadQuestionsTests {
    private let questions = ReadQuestions()

    /// Asks, and tells whether the query had to be read.
    private func isRead(_ query: String, failing: Bool = false) throws -> Bool {
        var isRead = false
        _ = try Array(query.utf8).withUnsafeBufferPointer { bytes in
            try questions.meaning(of: bytes) { () throws(Problem) in
                isRead = true
                if failing { throw .invalid("/query/url", "is required") }
                return GetCookieHeader(request: nil)
            }
        }
        return isRead
    }

    @Test("are not read again, each byte of a query counting")
    func remembers() throws {
        #expect(try isRead("url=a"))
        #expect(try !isRead("url=a"))
        #expect(try isRead("url=A"))
        #expect(try isRead("url=ab"))
        #expect(try isRead(""))
    }

    @Test("are read every time when they are long or wrong")
    func forgets() throws {
        let long = String(repeating: "x", count: 513)
        #expect(try isRead(long))
        #expect(try isRead(long))
        #expect(throws: Problem.self) { try isRead("bad", failing: true) }
        #expect(throws: Problem.self) { try isRead("bad", failing: true) }
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
