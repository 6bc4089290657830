// SPDX-License-Identifier: Apache-2.0

// Writes for as long as it lives, to be killed: eight jars of two tenants, each counting up. A line `jar counter
// revision` is on standard output before the next write of that jar begins, and only after its completion; a write
// that failed says `failed` and is done again.

import Glibc
import JarStorage
import SQLiteJarStorage
import Telemetry
import TestSupport

/// One jar that counts.
final class CountingJar: Sendable {
    private let storage: SQLiteJarStorage
    private let address: JarAddress

    init(_ storage: SQLiteJarStorage, _ address: JarAddress) {
        self.storage = storage
        self.address = address
    }

    func count() {
        storage.write(address, operation: { Torture.increment(&$0) }) { [self] result in
            switch result {
            case .success(let committed):
                let revision = committed.snapshot.state.revision.rawValue
                report("\(address.tenant)/\(address.jar) \(committed.answer) \(revision)\n")
                count()
            case .failure(let error):
                report("failed \(error)\n")
                count()
            }
        }
    }

    private func report(_ line: String) {
        let bytes = Array(line.utf8)
        // One call for a line: a pipe takes it whole or not at all.
        guard bytes.withUnsafeBytes({ write(1, $0.baseAddress, $0.count) }) == bytes.count else {
            exit(2)
        }
    }
}

guard CommandLine.arguments.count == 2 else { exit(64) }
var configuration = SQLiteJarStorageConfiguration(dataDirectory: CommandLine.arguments[1])
configuration.foldThreshold = 32
configuration.foldChunk = 48
configuration.idleFoldMilliseconds = 5
do {
    let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
    for address in Torture.addresses { CountingJar(storage, address).count() }
    while true { pause() }
} catch {
    exit(73)
}
