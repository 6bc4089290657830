// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// One pass that leaves everything sealed with the key in use: the tenants one after the other, each a step at a time
/// between its writer's rounds.
///
/// Cut short, it is begun anew: what is sealed already is passed over.
struct EncryptRun {
    let directory: DataDirectory
    let sealing: DirectorySealing
    let writers: WriterPool
    let isClosing: @Sendable () -> Bool

    func run() -> MaintenanceResult {
        do {
            try turnOn()
            let report = try sealAll()
            // A tenant that is at fault may still need what is given up here.
            if report.faults.isEmpty { try keys { () throws(KeyTrouble) in try sealing.finish() } }
            return .success(report)
        } catch {
            return .failure(error)
        }
    }

    private func turnOn() throws(MaintenanceError) {
        guard sealing.keys != nil || sealing.isWaiting else { throw .noKey }
        try keys { () throws(KeyTrouble) in try sealing.turnOn() }
    }

    private func sealAll() throws(MaintenanceError) -> MaintenanceReport {
        var report = MaintenanceReport()
        do throws(JarStorageError) {
            let tenants = try TenantCopier.files { () throws(FileError) in try directory.tenants() }
            for tenant in tenants {
                if let fault = try seal(tenant) {
                    report.faults.append(
                        StorageFault(code: FaultRegister.code(of: fault), tenant: tenant))
                } else {
                    report.tenants += 1
                    report.bytes += try TenantCopier.files { () throws(FileError) in
                        try FileSystem.size(of: directory.folder(of: tenant).databasePath)
                    }
                }
            }
        } catch {
            throw .storage(error)
        }
        return report
    }

    /// Seals what a tenant has; answers what is wrong with the tenant, if something is.
    private func seal(_ tenant: TenantID) throws(JarStorageError) -> JarStorageError? {
        while true {
            if isClosing() { throw .unavailable }
            let slot = Slot<Result<ResealStep, JarStorageError>>()
            writers.enqueue(.reseal { slot.fill($0) }, for: tenant)
            do throws(JarStorageError) {
                switch try slot.wait().get() {
                case .more: continue
                case .done: return nil
                case .unreadable: return .integrity
                }
            } catch {
                guard error.isTenantsOwn, !isClosing() else { throw error }
                return error
            }
        }
    }

    private func keys(_ body: () throws(KeyTrouble) -> Void) throws(MaintenanceError) {
        do {
            try body()
        } catch {
            throw .storage(.unavailable)
        }
    }
}
