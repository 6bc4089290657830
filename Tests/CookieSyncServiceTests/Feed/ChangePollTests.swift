// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("A long-poll of the change feed")
struct ChangePollTests {
    private let jar: FollowedJar

    init() throws {
        jar = try FollowedJar()
    }

    private func waiting(_ count: Int = 1) async throws {
        #expect(try await eventually { jar.counters.polls == count })
    }

    @Test("is answered at once when there is something to tell")
    func atOnce() throws {
        try jar.write(1)
        try jar.write(2)
        let answer = try jar.poll("?since=1&wait=55").readResponse()
        #expect(answer.status == 200)
        #expect(answer.text.contains(#""revision":2,"#))
        #expect(answer.text.hasSuffix(#""revision":2,"more":false}"#))
        let first = try jar.poll("?limit=1&wait=55").readResponse()
        #expect(first.text.hasSuffix(#""revision":1,"more":true}"#))
    }

    @Test("is answered by the change that passes its filter, not by others")
    func filter() async throws {
        let poll = try jar.poll("?store=webview&wait=55")
        try await waiting()
        try jar.write(1)
        try jar.write(2)
        #expect(jar.counters.polls == 1)
        try jar.write(3, store: "webview")
        let answer = try poll.readResponse()
        #expect(answer.text.hasPrefix(#"{"changes":[{"revision":3,"#))
        #expect(answer.text.hasSuffix(#""revision":3,"more":false}"#))
    }

    @Test("is empty when its time is over, with the cursor past what was left out")
    func timeout() async throws {
        try jar.write(1)
        let begin = ContinuousClock.now
        let poll = try jar.poll("?store=webview&wait=1")
        #expect(try poll.readResponse().text == #"{"changes":[],"revision":1,"more":false}"#)
        let took = ContinuousClock.now - begin
        #expect(took > .milliseconds(990))
        #expect(try await eventually { jar.counters.polls == 0 })
    }

    @Test("is answered empty when the service stops")
    func drain() async throws {
        let poll = try jar.poll("?wait=55")
        try await waiting()
        jar.live.service.beginDraining()
        #expect(try poll.readResponse().text == #"{"changes":[],"revision":0,"more":false}"#)
        #expect(try jar.poll("?wait=55").readResponse().status == 503)
    }

    @Test("410 for a cursor above the jar's revision")
    func gone() throws {
        try jar.write(1)
        let answer = try jar.poll("?since=2&wait=55").readResponse()
        #expect(answer.status == 410)
        #expect(answer.slug == "cursor-gone")
    }

    @Test("a revision that was just acknowledged is no cursor of the future")
    func acknowledged() async throws {
        let other = try jar.poll("?store=none&wait=55")
        try await waiting()
        // The other one gives up after 55 seconds, which a machine that is busy enough reaches.
        let end = ContinuousClock.now + .seconds(30)
        for value in 1...200 where ContinuousClock.now < end {
            try jar.write(value)
            let poll = try jar.poll("?since=\(value)&wait=55")
            try await waiting(2)
            _ = poll
            #expect(try await eventually { jar.counters.polls == 2 })
            poll.reset()
            try await waiting(1)
        }
        _ = other
    }

    @Test("hundreds are woken by one write, from one read")
    func crowd() async throws {
        try jar.write(1)
        let polls = try (0..<250).map { _ in try jar.poll("?since=1&wait=55") }
        try await waiting(250)
        let reads = jar.counters.reads
        try jar.write(2)
        for poll in polls {
            #expect(try poll.readResponse().text.hasPrefix(#"{"changes":[{"revision":2,"#))
        }
        #expect(jar.counters.reads == reads + 1)
        #expect(jar.counters.pollsAnswered == 250)
    }

    @Test("503 when the storage fails")
    func failure() throws {
        let jar = try FollowedJar(storage: FailingStorage(.unavailable))
        #expect(try jar.poll("?wait=55").readResponse().status == 503)
        let refusal = try #require(throws: EventReader.Failure.self) { try jar.follow().open() }
        guard case .answered(let answer) = refusal else { return #expect(Bool(false)) }
        #expect(answer.status == 503)
    }
}
