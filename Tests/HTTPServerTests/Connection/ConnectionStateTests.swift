// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import HTTPServer

@Suite("The connection state, on a clock of its own")
struct ConnectionStateTests {
    typealias Event = ConnectionState.Event
    typealias Action = ConnectionState.Action

    /// A connection opened at 0 and the time that its events happen at.
    struct Script {
        var state: ConnectionState
        let timeouts = HTTPTimeouts()

        init() { state = ConnectionState(openedAt: 0, HTTPTimeouts()) }

        mutating func at(_ now: Int64, _ events: Event...) -> Action {
            var last = Action.none
            for event in events { last = state.handle(event, at: now, timeouts) }
            return last
        }
    }

    @Test(
        "a new connection has the header's time, a used one the idle time, and both end in silence")
    func idle() {
        var script = Script()
        #expect(script.at(9_999, .timePassed) == .none)
        #expect(script.at(10_000, .timePassed) == .close)
        script = Script()
        _ = script.at(5_000, .answered(closes: false))
        #expect(script.at(64_999, .timePassed) == .none)
        #expect(script.at(65_000, .timePassed) == .close)
        #expect(script.state.phase == .closed)
    }

    @Test("the header's time is total: neither more bytes nor a late start extend it")
    func header() {
        var script = Script()
        _ = script.at(4_000, .headBegan)
        _ = script.at(9_000, .headBegan)
        #expect(script.at(10_000, .timePassed) == .answer(.headerTimeout))
        script = Script()
        _ = script.at(1_000, .answered(closes: false))
        _ = script.at(30_000, .headBegan)
        _ = script.at(39_000, .headBegan)
        #expect(script.at(39_999, .timePassed) == .none)
        #expect(script.at(40_000, .timePassed) == .answer(.headerTimeout))
    }

    @Test("content may rest for 30 s if it has been fast enough, and keeps its rate after 5 s")
    func body() {
        var script = Script()
        _ = script.at(0, .bodyBegan)
        _ = script.at(100, .bodyArrived(7))
        #expect(script.at(5_006, .timePassed) == .none)
        #expect(script.at(5_007, .timePassed) == .answer(.bodyTimeout))
        script = Script()
        _ = script.at(0, .bodyBegan)
        for second in stride(from: Int64(1_000), through: 300_000, by: 1_000) {
            #expect(script.at(second, .timePassed, .bodyArrived(1_000)) == .none)
        }
        script = Script()
        _ = script.at(0, .bodyBegan)
        _ = script.at(1_000, .bodyArrived(500_000))
        #expect(script.at(30_999, .timePassed) == .none)
        #expect(script.at(31_000, .timePassed) == .answer(.bodyTimeout))
    }

    @Test("a sink's pause is not held against the client, but does not last for ever")
    func pause() {
        var script = Script()
        _ = script.at(0, .bodyBegan, .bodyArrived(10), .bodyPaused)
        #expect(!script.state.readsInput)
        #expect(script.at(14_999, .timePassed) == .none)
        _ = script.at(14_999, .bodyResumed)
        #expect(script.state.readsInput)
        #expect(script.at(19_998, .timePassed) == .none)
        #expect(script.at(19_999, .timePassed) == .answer(.bodyTimeout))
        script = Script()
        _ = script.at(0, .bodyBegan, .bodyPaused)
        #expect(script.at(15_000, .timePassed) == .answer(.overloaded))
    }

    @Test("a deferred answer has its time, and the connection lives on")
    func handler() {
        var script = Script()
        _ = script.at(1_000, .deferred(15_000))
        #expect(!script.state.readsInput)
        #expect(script.at(15_999, .timePassed) == .none)
        #expect(script.at(16_000, .timePassed) == .answer(.handlerTimeout))
        _ = script.at(16_000, .answered(closes: false))
        #expect(script.state.readsInput)
        #expect(script.state.deadline == 76_000)
    }

    @Test("a client that takes nothing for 30 s is cut, one that takes a little is not")
    func stall() {
        var script = Script()
        _ = script.at(0, .answered(closes: false), .outputBlocked)
        #expect(!script.state.readsInput)
        #expect(script.at(29_999, .timePassed) == .none)
        _ = script.at(29_999, .outputProgressed)
        #expect(script.at(59_998, .timePassed) == .none)
        #expect(script.at(59_999, .timePassed) == .close)
        script = Script()
        _ = script.at(0, .streamBegan, .outputBlocked)
        #expect(script.at(30_000, .timePassed) == .close)
    }

    @Test("a long answer does not use up the idle time")
    func slowAnswer() {
        var script = Script()
        _ = script.at(0, .answered(closes: false), .outputBlocked)
        for second in stride(from: Int64(20_000), through: 100_000, by: 20_000) {
            #expect(script.at(second, .timePassed, .outputProgressed) == .none)
        }
        #expect(script.at(100_001, .outputDrained) == .none)
        #expect(script.at(160_000, .timePassed) == .none)
        #expect(script.at(160_001, .timePassed) == .close)
    }

    @Test("what a client cannot send while its answer waits is not held against it")
    func blockedInput() {
        var script = Script()
        _ = script.at(0, .headBegan, .outputBlocked)
        #expect(script.at(20_000, .timePassed, .outputProgressed) == .none)
        #expect(script.at(40_000, .timePassed, .outputDrained) == .none)
        #expect(script.at(49_999, .timePassed) == .none)
        #expect(script.at(50_000, .timePassed) == .answer(.headerTimeout))
        script = Script()
        _ = script.at(0, .bodyBegan, .outputBlocked)
        #expect(script.at(20_000, .timePassed, .outputDrained) == .none)
        #expect(script.at(24_999, .timePassed) == .none)
        #expect(script.at(25_000, .timePassed) == .answer(.bodyTimeout))
    }

    @Test("the last answer is followed by a bounded while of reading")
    func linger() {
        var script = Script()
        _ = script.at(0, .answered(closes: true))
        #expect(script.state.phase == .closing)
        #expect(!script.state.readsInput)
        #expect(script.at(10, .outputDrained) == .linger)
        #expect(script.at(20, .discarded(16 << 20)) == .none)
        #expect(script.at(20, .discarded(1)) == .close)
        script = Script()
        _ = script.at(0, .answered(closes: true), .outputDrained)
        #expect(script.at(999, .timePassed) == .none)
        #expect(script.at(1_000, .timePassed) == .close)
        script = Script()
        _ = script.at(0, .answered(closes: true), .outputDrained)
        #expect(script.at(5, .peerFinished) == .close)
    }

    @Test("the last answer is sent in full before the connection ends")
    func blockedLastAnswer() {
        var script = Script()
        _ = script.at(0, .answered(closes: true), .outputBlocked)
        #expect(script.at(5_000, .outputProgressed) == .none)
        #expect(script.at(6_000, .outputDrained) == .linger)
    }

    @Test("a client that stops sending is answered if it began a request, and closed if not")
    func peerFinished() {
        var script = Script()
        #expect(script.at(1, .peerFinished) == .close)
        for event in [Event.headBegan, .bodyBegan] {
            script = Script()
            #expect(script.at(1, event, .peerFinished) == .answer(.incompleteRequest))
            #expect(script.at(1, .answered(closes: true), .outputDrained) == .close)
        }
        script = Script()
        #expect(script.at(1, .deferred(15_000), .peerFinished) == .none)
        #expect(script.at(2, .answered(closes: false)) == .none)
        script = Script()
        #expect(script.at(1, .answered(closes: false), .outputBlocked, .peerFinished) == .none)
        #expect(script.at(2, .outputDrained) == .close)
    }

    @Test("draining closes the idle, and lets the others finish with their next answer")
    func drain() {
        var script = Script()
        #expect(script.at(1, .drain) == .close)
        for event in [Event.headBegan, .bodyBegan, .deferred(15_000), .streamBegan] {
            script = Script()
            #expect(script.at(1, event, .drain) == .none)
            _ = script.at(2, .answered(closes: false))
            #expect(script.at(2, .outputDrained) == .linger)
        }
        script = Script()
        #expect(script.at(1, .answered(closes: false), .outputBlocked, .drain) == .none)
        #expect(script.at(2, .outputDrained) == .linger)
    }
}
