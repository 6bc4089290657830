// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A jar that a round of writes works on: its calls in their order, and what they come to.
struct WorkingJar {
    /// A call whose operation has run.
    struct Call {
        let completion: Job.Completion<JarSnapshot>
        let snapshot: JarSnapshot
    }

    let address: JarAddress
    private(set) var jobs: [Job] = []
    private(set) var base = KnownJar.absent
    /// The records that the operations have looked at.
    private(set) var records = KnownTenant.absent
    private(set) var calls: [Call] = []
    private(set) var changes: [Change] = []
    private(set) var after = KnownJar.absent

    init(_ address: JarAddress) { self.address = address }

    mutating func add(_ job: Job) { jobs.append(job) }

    /// Whether something is to be written.
    var isDirty: Bool { !changes.isEmpty }

    /// Runs every operation on that state, one after the other.
    mutating func apply(to base: KnownJar, _ records: KnownTenant) {
        self.base = base
        self.records = records
        calls = []
        changes = []
        var snapshot = base.snapshot
        for job in jobs {
            guard case .write(_, let operation, _) = job.kind else { continue }
            var draft = JarDraft(snapshot.state, tenant: records.state)
            let completion = operation(&draft)
            if !draft.changes.isEmpty {
                snapshot = JarSnapshot(draft.state)
                changes += draft.changes
            }
            calls.append(Call(completion: completion, snapshot: snapshot))
        }
        let stamp = changes.isEmpty ? base.stamp : Int64.random(in: .min ... .max)
        after = KnownJar(snapshot: snapshot, stamp: stamp)
    }

    /// What is to be written.
    var write: JarWrite {
        JarWrite(
            address: address, base: base, changes: changes, after: after, records: records)
    }

    /// Answers every call.
    func complete(failure: JarStorageError? = nil) {
        for call in calls {
            call.completion(failure.map { .failure($0) } ?? .success(call.snapshot))
        }
    }
}
