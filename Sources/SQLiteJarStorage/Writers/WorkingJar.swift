// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A jar, once a round of its tenant's writer has touched it.
struct WorkingJar {
    let name: JarID
    var number: Int64?
    let base: JarSnapshot
    var snapshot: JarSnapshot
    var changes: [Change] = []
    var answers: [AnswerRow] = []
    /// Why its changes were not committed.
    var failure: JarStorageError?

    init(_ name: JarID, number: Int64?, base: JarSnapshot) {
        self.name = name
        self.number = number
        self.base = base
        snapshot = base
    }

    var isDirty: Bool { !changes.isEmpty || !answers.isEmpty }
    /// Whether there is something new that has been committed.
    var isNews: Bool { !changes.isEmpty && failure == nil }

    mutating func take(_ draft: consuming JarDraft) {
        guard !draft.changes.isEmpty else { return }
        snapshot = JarSnapshot(draft.state)
        // Most jars are written to once in a round, and nothing is copied for them.
        if changes.isEmpty { changes = draft.changes } else { changes += draft.changes }
    }

    /// Whether it makes room, and may take what was kept for that.
    var onlyRemoves: Bool {
        !changes.isEmpty
            && changes.allSatisfy { change in
                switch change.content {
                case .removed, .storeDeleted: true
                case .added, .changed, .configured: false
                }
            }
    }
}
