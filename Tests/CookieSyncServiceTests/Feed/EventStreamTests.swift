// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("A stream of events")
struct EventStreamTests {
    @Test("tells what was, then what happens, each once and in order")
    func tail() throws {
        let jar = try FollowedJar()
        for value in 1...3 { try jar.write(value) }
        let stream = try jar.follow("?since=1")
        #expect(try stream.next() == EventReader.Event(retry: "2000"))
        #expect(stream.head.contains("Content-Type: text/event-stream"))
        for value in 2...3 { #expect(try stream.nextData()?.id == UInt64(value)) }
        for value in 4...9 {
            try jar.write(value)
            let event = try #require(try stream.nextData())
            #expect(event.id == UInt64(value))
            #expect(event.name == "change")
            let data = try #require(event.data)
            #expect(data.hasPrefix(#"{"revision":\#(value),"at":"2026-11-30T12:00:00Z","#))
            #expect(data.contains(#""value":"\#(value)x""#))
        }
        #expect(jar.counters.eventsSent == 8)
    }

    @Test("goes on behind Last-Event-ID, whatever since says")
    func lastEventID() throws {
        let jar = try FollowedJar()
        for value in 1...5 { try jar.write(value) }
        let stream = try jar.follow("?since=1", lastEventID: "3")
        #expect(try stream.nextData()?.id == 4)
        #expect(try jar.follow("?since=4", lastEventID: "").nextData()?.id == 5)
    }

    @Test("follows a jar that is not there yet")
    func absent() throws {
        let jar = try FollowedJar()
        let stream = try jar.follow()
        try stream.open()
        try jar.write(1)
        #expect(try stream.nextData()?.id == 1)
    }

    @Test("leaves out what the filter does, and moves the cursor past it with a heartbeat")
    func filter() async throws {
        let jar = try FollowedJar { $0.heartbeatMilliseconds = 50 }
        let stream = try jar.follow("?store=webview")
        try stream.open()
        try jar.write(1)
        try jar.write(2)
        while let event = try stream.next() {
            #expect(event.data == nil)
            if event.id == 2 { break }
        }
        try jar.write(3, store: "webview")
        #expect(try stream.nextData()?.id == 3)
        let other = try jar.follow("?url=https://www.example.org/")
        try other.open()
        #expect(try other.next()?.retry == "2000")
        while try other.next()?.id != 3 {}
    }

    @Test("sends a sign of life when nothing happens, without an id that says nothing new")
    func heartbeat() throws {
        let jar = try FollowedJar { $0.heartbeatMilliseconds = 30 }
        let stream = try jar.follow()
        #expect(try stream.next()?.retry == "2000")
        for _ in 1...3 {
            #expect(try stream.next() == EventReader.Event(comments: ["heartbeat"]))
        }
    }

    @Test("ends after its lifetime with where to go on")
    func lifetime() throws {
        let jar = try FollowedJar { $0.lifetimeMilliseconds = 100 }
        try jar.write(1)
        let stream = try jar.follow()
        #expect(try stream.nextData()?.id == 1)
        #expect(
            try stream.nextData()
                == EventReader.Event(
                    id: 1, name: "end", data: #"{"reason":"lifetime","revision":1}"#))
        #expect(try stream.next() == nil)
    }

    @Test("ends when the service stops, with where to go on, and none begins any more")
    func drain() async throws {
        let jar = try FollowedJar()
        try jar.write(1)
        let stream = try jar.follow()
        #expect(try stream.nextData()?.id == 1)
        jar.live.service.beginDraining()
        #expect(
            try stream.nextData()
                == EventReader.Event(id: 1, name: "end", data: #"{"reason":"drain","revision":1}"#)
        )
        #expect(try stream.next() == nil)
        #expect(try await eventually { jar.counters.streams == 0 })
        let refusal = try #require(throws: EventReader.Failure.self) { try jar.follow().open() }
        guard case .answered(let answer) = refusal else { return #expect(Bool(false)) }
        #expect(answer.status == 503)
    }

    @Test("410 for a cursor above the jar's revision, before a stream begins")
    func gone() async throws {
        let jar = try FollowedJar()
        try jar.write(1)
        for query in ["?since=2", "?since=9223372036854775807"] {
            let refusal = try #require(throws: EventReader.Failure.self) {
                try jar.follow(query).open()
            }
            guard case .answered(let answer) = refusal else { return #expect(Bool(false)) }
            #expect(answer.status == 410)
            #expect(answer.slug == "cursor-gone")
        }
        #expect(try await eventually { jar.counters.streams == 0 })
    }

    @Test(
        "422 for a Last-Event-ID that is none",
        arguments: ["x", "-1", "1 2", "99999999999999999999"])
    func invalidID(id: String) throws {
        let jar = try FollowedJar()
        let refusal = try #require(throws: EventReader.Failure.self) {
            try jar.follow(lastEventID: id).open()
        }
        guard case .answered(let answer) = refusal else { return #expect(Bool(false)) }
        #expect(answer.status == 422)
        #expect(answer.pointers == ["/header/Last-Event-ID"])
        // Also of a page, for which it has no meaning.
        let page = try jar.live.send(
            "GET", "\(FollowedJar.path)/changes", nil, ["Last-Event-ID": id])
        #expect(page.status == 422)
        #expect(page.pointers == ["/header/Last-Event-ID"])
    }

    @Test(
        "is what Accept names, and nothing else is",
        arguments: [
            ("text/event-stream", true), ("text/event-stream, */*;q=0.1", true),
            ("application/json, text/event-stream", true), ("*/*", false), ("text/*", false),
            ("application/json, text/event-stream;q=0.5", false), ("text/event-stream;q=0", false),
        ])
    func negotiation(accept: String, isStream: Bool) {
        var accept = accept
        #expect(accept.withUTF8 { Representation.prefersEvents($0) } == isStream)
    }

    @Test("a tenant has so many and no more, and one that ends makes room")
    func limit() async throws {
        let jar = try FollowedJar { $0.streamsPerTenant = 2 }
        let first = try jar.follow()
        try first.open()
        var second: EventReader? = try jar.follow()
        try second?.open()
        #expect(try await eventually { jar.counters.streams == 2 })
        let refusal = try #require(throws: EventReader.Failure.self) { try jar.follow().open() }
        guard case .answered(let answer) = refusal else { return #expect(Bool(false)) }
        #expect(answer.status == 429)
        #expect(answer["retry-after"] == "5")
        #expect(answer.slug == "too-many-followers")
        #expect(jar.counters.refused == 1)
        second = nil
        #expect(try await eventually { jar.counters.streams == 1 })
        try jar.follow().open()
    }
}
