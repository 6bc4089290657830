// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Glibc
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("A process that is killed", .serialized)
struct KillTests {
    /// 20, or what `COOKIESYNC_KILL_CYCLES` says.
    private static let cycles =
        getenv("COOKIESYNC_KILL_CYCLES").flatMap { Int(String(cString: $0)) } ?? 20

    /// For how long a cycle may last: 250, or what `COOKIESYNC_KILL_MILLISECONDS` says.
    private static let longest =
        getenv("COOKIESYNC_KILL_MILLISECONDS").flatMap { Int32(String(cString: $0)) } ?? 250

    @Test("loses no acknowledged write, tears none, and its revisions rise")
    func kills() async throws {
        let directory = try TemporaryDirectory()
        var acknowledged: [String: Acknowledgement] = [:]
        var total = 0
        for cycle in 0..<Self.cycles {
            let process = try TortureProcess(dataDirectory: directory.path)
            // Every other one may die before it has said a word.
            let answers = try process.run(
                milliseconds: .random(in: 30...Self.longest), fromFirstAnswer: cycle % 2 == 0)
            for answer in answers {
                if let before = acknowledged[answer.jar] {
                    #expect(answer.count > before.count)
                    #expect(answer.revision > before.revision)
                }
                acknowledged[answer.jar] = answer
            }
            total += answers.count
            try await audit(directory, acknowledged)
        }
        #expect(total >= Self.cycles / 2)
        print("kill -9: \(Self.cycles) cycles, \(total) acknowledged writes, none lost")
        try checkIntegrity(directory)
    }

    private func audit(
        _ directory: TemporaryDirectory, _ acknowledged: [String: Acknowledgement]
    ) async throws {
        let storage = try SQLiteJarStorage(
            configuration: SQLiteJarStorageConfiguration(dataDirectory: directory.path),
            logger: .silent)
        for address in Torture.addresses {
            let state = try await storage.load(address).state
            guard let last = acknowledged["\(address.tenant)/\(address.jar)"] else { continue }
            #expect(Torture.count(in: state) >= last.count)
            #expect(state.revision.rawValue >= last.revision)
            #expect(Torture.isWhole(state))
        }
        #expect(storage.health().isEmpty)
        storage.close()
    }

    private func checkIntegrity(_ directory: TemporaryDirectory) throws {
        for tenant in ["acme", "other"] {
            let connection = try Connection(
                path: directory.file("tenants/\(tenant)/jar.sqlite"))
            #expect(try connection.text("PRAGMA integrity_check") == "ok")
            try connection.close()
        }
    }
}
