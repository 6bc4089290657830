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
        .enabled(if: getenv("COOKIESYNC_SOAK") != nil, "a minute each: set COOKIESYNC_SOAK=1"),
        arguments: SyncTwin.allCases)
    func fewKinds(twin: SyncTwin) {
        walk(twin, steps: SyncStepKind.few, length: 6)
    }

    private func walk(_ twin: SyncTwin, steps: [SyncStepKind], length: Int) {
        var count = 0
        visit(SyncModel(twin: twin), [], steps, length, &count)
        print("sync: \(count) sequences of up to \(length) of \(steps.count) events, \(twin) twin")
    }

    private func visit(
        _ model: SyncModel, _ path: [SyncStepKind], _ steps: [SyncStepKind], _ length: Int,
        _ count: inout Int
    ) {
        guard path.count < length else { return }
        for step in steps {
            var next = model
            next.take(step)
            count += 1
            let path = path + [step]
            if let violation = next.violation() {
                Issue.record("\(violation) after \(path)")
                return
            }
            visit(next, path, steps, length, &count)
        }
    }
}
