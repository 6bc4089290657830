// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncWire
internal import JarStorage
internal import SQLiteJarStorage

/// What `migrate` prints.
struct MigrationBody: AnswerBody {
    private let report: MigrationReport

    init(_ report: MigrationReport) { self.report = report }

    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("schema_version")
        writer.integer(report.schemaVersion)
        writer.name("tenants")
        writer.integer(report.tenants)
        writer.name("migrated")
        writer.integer(report.migrated)
        writer.name("faults")
        writer.array(
            report.faults.map {
                MaintenanceBody.Fault(tenant: $0.tenant?.bytes, code: $0.code)
            })
        writer.endObject()
    }
}
