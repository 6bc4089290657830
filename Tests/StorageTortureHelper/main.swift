// SPDX-License-Identifier: Apache-2.0

// Writes for as long as it lives, to be killed: eight jars of two tenants, each counting up. A line `jar counter
// revision` is on standard output before the next write of that jar begins, and only after its completion; a write
// that failed says `failed` and is done again.
//
//     StorageTortureHelper DIRECTORY [early-reply]
//
// `early-reply` is a mutant: the line is out before the commit. A test of durability that passes with it is worth
// nothing.

import Glibc
import JarStorage
import SQLiteJarStorage
import Telemetry
import TestSupport

/// One jar that counts.
final class CountingJar: Sendable {
    private let storage: SQLiteJarStorage
    private let address: JarAddress
    private let repliesEarly: Bool

    init(_ storage: SQLiteJarStorage, _ address: JarAddress, repliesEarly: Bool) {
        self.storage = storage
        self.address = address
        self.repliesEarly = repliesEarly
    }

    func count() {
        let operation: @Sendable (inout JarDraft) -> Int = { [self] draft in
            let count = Torture.increment(&draft)
            if repliesEarly { report(count, draft.state.revision) }
            return count
        }
        storage.write(address, operation: operation) { [self] result in
            switch result {
            case .success(let committed):
                if !repliesEarly { report(committed.answer, committed.snapshot.state.revision) }
                count()
            case .failure(let error):
                report("failed \(error)\n")
                count()
            }
        }
    }

    private func report(_ count: Int, _ revision: Revision) {
        report("\(address.tenant)/\(address.jar) \(count) \(revision.rawValue)\n")
    }

    private func report(_ line: String) {
        let bytes = Array(line.utf8)
        // One call for a line: a pipe takes it whole or not at all.
        guard bytes.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) == bytes.count else {
            exit(2)
        }
    }
}

let arguments = CommandLine.arguments.dropFirst()
guard let directory = arguments.first, arguments.dropFirst().allSatisfy({ $0 == "early-reply" })
else { exit(64) }
var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory)
configuration.foldThreshold = 32
configuration.foldChunk = 3
configuration.idleFoldMilliseconds = 5
do {
    let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
    for address in Torture.addresses {
        CountingJar(storage, address, repliesEarly: arguments.count > 1).count()
    }
    while true { pause() }
} catch {
    exit(73)
}
