// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Many followers, and slow ones")
struct CrowdTests {
    @Test("followers of a jar are served by one read")
    func oneRead() async throws {
        let jar = try FollowedJar { $0.streamsPerTenant = 200 }
        try jar.write(1)
        let streams = try (0..<150).map { _ in try jar.follow("?since=1") }
        for stream in streams { try stream.open() }
        #expect(try await eventually { jar.counters.streams == 150 })
        for value in 2...4 {
            let before = jar.counters.reads
            try jar.write(value)
            for stream in streams { #expect(try stream.nextData()?.id == UInt64(value)) }
            #expect(jar.counters.reads == before + 1)
        }
    }

    @Test("a client that takes nothing is let go with its cursor, and goes on there without a loss")
    func slow() async throws {
        let jar = try FollowedJar {
            $0.bufferBytes = 32 << 10
            $0.patienceMilliseconds = 200
        }
        let slow = try jar.follow(receiveBuffer: 4_096)
        let quick = try jar.follow()
        try slow.open()
        try quick.open()
        var value = 0
        while jar.counters.dropped == 0 {
            value += 1
            try jar.write(value, size: 3_000)
            #expect(try quick.nextData()?.id == UInt64(value))
            try #require(value < 20_000)
        }
        var seen: [UInt64] = []
        var end: EventReader.Event?
        while let event = try slow.nextData() {
            if event.name == "end" { end = event } else { seen.append(try #require(event.id)) }
        }
        let cursor = try #require(end?.id)
        #expect(end?.data == #"{"reason":"slow","revision":\#(cursor)}"#)
        #expect(seen == Array(1...cursor))
        #expect(cursor < value)
        let again = try jar.follow(lastEventID: "\(cursor)")
        for revision in (cursor + 1)...UInt64(value) {
            #expect(try again.nextData()?.id == revision)
        }
    }

    @Test("a client that falls behind and reads on is served everything, in order")
    func behind() throws {
        let jar = try FollowedJar { $0.bufferBytes = 20 << 10 }
        for value in 1...1_500 { try jar.write(value, size: 600) }
        let stream = try jar.follow(receiveBuffer: 4_096)
        for revision in 1...1_500 {
            #expect(try stream.nextData()?.id == UInt64(revision))
        }
        try jar.write(1_501)
        #expect(try stream.nextData()?.id == 1_501)
        #expect(jar.counters.dropped == 0)
    }

    @Test("an event larger than the buffer goes out all the same")
    func large() throws {
        let jar = try FollowedJar { $0.bufferBytes = 17 << 10 }
        let stream = try jar.follow()
        try stream.open()
        for value in 1...20 { try jar.write(value, size: 4_000) }
        for revision in 1...20 { #expect(try stream.nextData()?.id == UInt64(revision)) }
    }

    @Test("a client that goes away frees its place, whichever way it follows")
    func leaving() async throws {
        let jar = try FollowedJar()
        try jar.write(1)
        var stream: EventReader? = try jar.follow("?since=1")
        try stream?.open()
        var poll: RawHTTPClient? = try jar.poll("?since=1&wait=55")
        var reset: RawHTTPClient? = try jar.poll("?since=1&wait=55")
        #expect(try await eventually { jar.counters.polls == 2 })
        stream = nil
        poll = nil
        reset?.reset()
        reset = nil
        #expect(try await eventually { jar.counters.streams + jar.counters.polls == 0 })
        _ = (stream, poll, reset)
    }
}
