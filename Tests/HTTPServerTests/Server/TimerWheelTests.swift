// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("The timer wheel")
struct TimerWheelTests {
    private func due(_ wheel: inout TimerWheel, _ now: Int64) -> [Int] {
        var due: [Int] = []
        wheel.advance(to: now, due: &due)
        return due.sorted()
    }

    @Test("a slot comes up once, shortly after its deadline")
    func comesUpOnce() {
        var wheel = TimerWheel(now: 5_000)
        wheel.schedule(3, by: 15_000)
        #expect(due(&wheel, 14_999).isEmpty)
        #expect(due(&wheel, 15_032) == [3])
        #expect(due(&wheel, 60_000).isEmpty)
    }

    @Test("the delay leads to the deadline and never past the next tick")
    func delayLeadsThere() {
        var wheel = TimerWheel(now: 1_000)
        #expect(wheel.delay(from: 1_000) == nil)
        wheel.schedule(0, by: 9_000)
        var now: Int64 = 1_000
        while due(&wheel, now).isEmpty {
            guard let delay = wheel.delay(from: now) else {
                Issue.record("no delay at \(now)")
                return
            }
            now += max(1, delay)
        }
        #expect((9_000...9_032).contains(now))
    }

    @Test("a deadline that moves back is looked at early, one that moves forward is not late")
    func movesOnlyForward() {
        var wheel = TimerWheel(now: 0)
        wheel.schedule(1, by: 1_000)
        wheel.schedule(1, by: 5_000)
        #expect(due(&wheel, 1_100) == [1])
        wheel.schedule(1, by: 5_000)
        wheel.schedule(1, by: 2_000)
        #expect(due(&wheel, 2_100) == [1])
        #expect(due(&wheel, 9_000).isEmpty)
    }

    @Test("deadlines beyond a turn are looked at once per turn")
    func farDeadlines() {
        var wheel = TimerWheel(now: 0)
        wheel.schedule(7, by: 1_000_000)
        #expect(due(&wheel, 10_000).isEmpty)
        #expect(due(&wheel, 16_500) == [7])
    }

    @Test("cancelled slots do not come up, whatever their place in a bucket")
    func cancels() {
        var wheel = TimerWheel(now: 0)
        for slot in 0..<10 { wheel.schedule(slot, by: 500) }
        for slot in [0, 4, 9] { wheel.cancel(slot) }
        #expect(due(&wheel, 600) == [1, 2, 3, 5, 6, 7, 8])
    }

    @Test("a jump of the clock brings everything up once")
    func jump() {
        var wheel = TimerWheel(now: 0)
        for slot in 0..<200 { wheel.schedule(slot, by: Int64(slot) * 80) }
        #expect(due(&wheel, 10_000_000) == Array(0..<200))
        #expect(wheel.delay(from: 10_000_000) == nil)
    }
}
