// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("Sync, every order of events on two stores")
struct SyncExhaustiveTests {
    @Test("up to length 4, both stores", arguments: SyncTwin.allCases)
    func allKinds(twin: SyncTwin) {
        walk(twin, steps: SyncStepKind.allCases, length: 4)
    }

    @Test(
        "up to length 6, each kind of event once",
        .enabled(if: getenv("COOKIESYNC_SOAK") != nil, "takes a minute: set COOKIESYNC_SOAK=1"),
        arguments: SyncTwin.allCases)
    func fewKinds(twin: SyncTwin) {
        walk(twin, steps: SyncStepKind.few, length: 6)
    }

    private func walk(_ twin: SyncTwin, steps: [SyncStepKind], length: Int) {
        var walk = SyncWalk(steps: steps)
        walk.visit(SyncModel(twin: twin), [], left: length)
        print(
            "sync: \(walk.count) sequences of up to \(length) of \(steps.count) events, \(twin) twin;",
            "\(walk.checked) of them run")
    }
}

/// Goes through all sequences of events, and stops at the first that breaks a promise on each way.
private struct SyncWalk {
    let steps: [SyncStepKind]
    /// How many sequences are covered.
    private(set) var count = 0
    /// How many of them had to be run: one with an event that does nothing is as good as the shorter one without it.
    private(set) var checked = 0

    init(steps: [SyncStepKind]) { self.steps = steps }

    mutating func visit(_ model: SyncModel, _ path: [SyncStepKind], left: Int) {
        guard left > 0 else { return }
        for step in steps {
            var next = model
            next.take(step)
            if next.isAsGood(as: model) {
                count += sequences(ofUpTo: left - 1)
                continue
            }
            count += 1
            checked += 1
            let path = path + [step]
            if let violation = next.violation() {
                Issue.record("\(violation) after \(path)")
                return
            }
            visit(next, path, left: left - 1)
        }
    }

    /// How many sequences begin with a given event and go on for so many more.
    private func sequences(ofUpTo more: Int) -> Int {
        more == 0 ? 1 : 1 + steps.count * sequences(ofUpTo: more - 1)
    }
}
