// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire
public import JarStorage

extension MaintenanceBody {
    /// What a run came to.
    public init(_ report: MaintenanceReport, backup: BackupName?) {
        self.init(
            name: backup?.bytes, tenants: report.tenants, bytes: report.bytes,
            faults: report.faults.map { Fault(tenant: $0.tenant?.bytes, code: $0.code) })
    }
}
