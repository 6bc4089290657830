// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Sync, every order of events on two stores")
struct SyncExhaustiveTests {
    @Test("up to length 6, both stores", arguments: SyncTwin.allCases)
    func allKinds(twin: SyncTwin) {
        let length = 6
        var walk = SyncWalk()
        walk.visit(SyncModel(twin: twin), [], left: length)
        print(
            "sync: \(walk.count) sequences of up to \(length) of \(SyncStepKind.allCases.count) events,",
            "\(twin) twin; \(walk.stateCount) states of the stores, \(walk.checked) of them judged")
        #expect(walk.count == 1_948_716)
    }
}

/// Goes through all sequences of events, and stops at the first that breaks a promise on each way.
///
/// What may follow depends on the state that a sequence leads to, so a state that was met before is gone on from only
/// when more events are left than then.
private struct SyncWalk {
    /// How many sequences are covered.
    private(set) var count = 0
    /// How many of them had to be run.
    private(set) var checked = 0
    /// How many events were left when a state was gone on from.
    private var known: [SyncModel.Essence: Int] = [:]

    var stateCount: Int { known.count }

    mutating func visit(_ model: SyncModel, _ path: [SyncStepKind], left: Int) {
        for step in SyncStepKind.allCases {
            var next = model
            next.take(step)
            let path = path + [step]
            let essence = next.essence
            if let before = known[essence], before >= left - 1 {
                count += Self.sequences(ofUpTo: left - 1)
                continue
            }
            count += 1
            if known.updateValue(left - 1, forKey: essence) == nil {
                checked += 1
                if let violation = next.violation() {
                    Issue.record("\(violation) after \(path)")
                    return
                }
            }
            if left > 1 { visit(next, path, left: left - 1) }
        }
    }

    /// How many sequences begin with a given event and go on for so many more.
    private static func sequences(ofUpTo more: Int) -> Int {
        more == 0 ? 1 : 1 + SyncStepKind.allCases.count * sequences(ofUpTo: more - 1)
    }
}
