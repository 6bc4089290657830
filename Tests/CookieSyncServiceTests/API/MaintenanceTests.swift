// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

/// Answers every run alike.
private struct FixedMaintenance: StorageMaintenance {
    let result: MaintenanceResult

    func backUp(
        as name: BackupName, completion: @escaping @Sendable (MaintenanceResult) -> Void
    ) {
        completion(result)
    }

    func verify(completion: @escaping @Sendable (MaintenanceResult) -> Void) {
        completion(result)
    }

    func encrypt(completion: @escaping @Sendable (MaintenanceResult) -> Void) {
        completion(result)
    }
}

@Suite("Backups and checks over HTTP")
struct MaintenanceTests {
    private func answers(_ result: MaintenanceResult) throws -> [RawResponse] {
        let live = try LiveService(maintenance: FixedMaintenance(result: result))
        return [
            try live.send("POST", "/v1/admin/backup", json: #"{"name":"b"}"#),
            try live.send("POST", "/v1/admin/verify"),
            try live.send("POST", "/v1/admin/encrypt"),
        ]
    }

    @Test("answer what a run came to")
    func report() throws {
        var report = MaintenanceReport()
        report.tenants = 3
        report.bytes = 4096
        report.faults = [
            StorageFault(code: "storage-corrupt", tenant: TenantID("acme".utf8))
        ]
        let rest =
            #""tenants":3,"bytes":4096,"faults":[{"tenant":"acme","code":"storage-corrupt"}]}"#
        #expect(
            try answers(.success(report)).map(\.text) == [
                #"{"name":"b",\#(rest)"#, "{\(rest)", "{\(rest)",
            ])
    }

    @Test(
        "answer why there was no run",
        arguments: [
            (MaintenanceError.running, "busy", 503), (.nameTaken, "invalid-request", 422),
            (.noKey, "not-implemented", 501), (.storage(.full), "storage-full", 507),
            (.storage(.unavailable), "unavailable", 503),
        ])
    func failures(error: MaintenanceError, slug: String, status: Int) throws {
        for answer in try answers(.failure(error)) {
            #expect(answer.slug == slug)
            #expect(answer.status == status)
        }
    }

    @Test("are not there with a storage that has none")
    func absent() throws {
        let live = try LiveService()
        #expect(try live.send("POST", "/v1/admin/verify").status == 501)
    }
}
