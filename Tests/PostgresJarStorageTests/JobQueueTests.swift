// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import PostgresJarStorage

@Suite("What waits for the lanes")
struct JobQueueTests {
    private let alice = StorageWorld.address("alice")

    private func write() -> Job {
        Job(.write(alice, { _ in { _ in } }, refuse: { _ in }))
    }

    @Test("what a lane took and could not do goes to one that is free, before all that came later")
    func handedBack() throws {
        let bells = try (0..<2).map { _ in try #require(EventDescriptor()) }
        let queue = JobQueue(bells: bells, limit: 10)
        for lane in 0..<2 {
            queue.connect(lane)
            #expect(queue.take(lane)?.isEmpty == true)
        }
        #expect(queue.enqueue(write()) == nil)
        // The last that had nothing to do was rung; its connection turns out to be gone.
        #expect(!isRung(bells[0]))
        #expect(isRung(bells[1]))
        let taken = try #require(queue.take(1))
        #expect(taken.count == 1)
        #expect(queue.enqueue(write()) == nil)
        #expect(isRung(bells[0]))
        #expect(queue.take(0)?.isEmpty == true)
        #expect(queue.disconnect(1, isHopeless: false, returning: taken).isEmpty)
        #expect(isRung(bells[0]))
        let rest = try #require(queue.take(0))
        #expect(rest.map(\.arrival) == rest.map(\.arrival).sorted())
        #expect(rest.count == 2)
        // What nobody can do comes back.
        queue.release(rest)
        #expect(queue.disconnect(0, isHopeless: true, returning: rest).count == 2)
    }

    @Test("it counts what waits, and what there was no room for")
    func counting() throws {
        let bells = [try #require(EventDescriptor())]
        let queue = JobQueue(bells: bells, limit: 2)
        queue.connect(0)
        #expect((0..<3).map { _ in queue.enqueue(write()) } == [nil, nil, .busy])
        let load = queue.load
        #expect((load.connections, load.queuedCalls, load.refusedCalls) == (1, 2, 1))
    }

    @Test("a lane that waits for another's jar when the end comes hears of it")
    func end() throws {
        let bells = try (0..<2).map { _ in try #require(EventDescriptor()) }
        let queue = JobQueue(bells: bells, limit: 10)
        #expect(queue.enqueue(write()) == nil)
        let taken = try #require(queue.take(0))
        #expect(queue.enqueue(write()) == nil)
        queue.close()
        #expect(isRung(bells[1]))
        #expect(queue.take(1)?.isEmpty == true)
        queue.release(taken)
        let rest = try #require(queue.take(0))
        #expect(rest.count == 1)
        queue.release(rest)
        #expect(!isRung(bells[1]))
        #expect(queue.take(0) == nil)
        #expect(isRung(bells[1]))
        #expect(queue.take(1) == nil)
    }

    private func isRung(_ bell: EventDescriptor) -> Bool {
        // With the bell itself in the place of the socket: what was rung is told, and is over then.
        bell.wait(beside: bell.descriptor, milliseconds: 0)
    }
}
