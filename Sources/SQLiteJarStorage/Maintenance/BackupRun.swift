// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// One backup: the tenants one after the other, put together beside their destination and renamed into place.
struct BackupRun {
    let directory: DataDirectory
    /// Where backups are.
    let destination: String
    let name: BackupName
    let copier: TenantCopier
    let catalogue: SQLiteTenantCatalogue
    let isClosing: @Sendable () -> Bool

    private var path: String { "\(destination)/\(name)" }
    /// No backup's name starts with a dot.
    private var draft: DataDirectory { DataDirectory(path: "\(destination)/.new-\(name)") }

    func run() -> MaintenanceResult {
        do {
            return .success(try copyAll())
        } catch {
            // What is left of the draft goes with the next attempt, if it cannot go now.
            try? FileSystem.removeDirectory(draft.path)
            return .failure(error)
        }
    }

    private func copyAll() throws(MaintenanceError) -> MaintenanceReport {
        let tenants = try files { () throws(FileError) in
            try FileSystem.makeDirectory(destination)
            return try directory.tenants()
        }
        guard !FileSystem.exists(path) else { throw .nameTaken }
        try files { () throws(FileError) in
            try FileSystem.removeDirectory(draft.path)
            try FileSystem.makeDirectory(draft.path)
            try FileSystem.makeDirectory(draft.tenantsPath)
        }
        var report = MaintenanceReport()
        var manifest = BackupManifest()
        for tenant in tenants {
            let folder = draft.folder(of: tenant)
            guard let copy = try copy(tenant, to: folder, &report) else { continue }
            manifest.tenants.append((tenant, copy.sequence))
        }
        do throws(JarStorageError) {
            try catalogue.copy(to: draft.cataloguePath)
        } catch {
            throw .storage(error)
        }
        try files { () throws(FileError) in
            try FileSystem.synchronize(draft.tenantsPath)
            // After the tenants: it then lists every key that theirs are wrapped with.
            try copyRegister()
            try FileSystem.write(manifest.text, to: "\(draft.path)/\(BackupManifest.fileName)")
            try FileSystem.synchronize(draft.path)
            try FileSystem.move(draft.path, to: path)
            try FileSystem.synchronize(destination)
        }
        return report
    }

    private func copyRegister() throws(FileError) {
        let register = "\(directory.path)/\(KeyRegister.fileName)"
        guard FileSystem.exists(register) else { return }
        try FileSystem.write(
            try FileSystem.contents(of: register), to: "\(draft.path)/\(KeyRegister.fileName)")
    }

    /// Copies a tenant; nil when it is at fault itself, which the report then says.
    private func copy(
        _ tenant: TenantID, to folder: TenantFolder, _ report: inout MaintenanceReport
    ) throws(MaintenanceError) -> TenantCopier.Copy? {
        do throws(JarStorageError) {
            let copy = try copier.copy(tenant, to: folder)
            report.tenants += 1
            report.bytes += copy.bytes
            return copy
        } catch {
            guard error.isTenantsOwn, !isClosing() else { throw .storage(error) }
            try files { () throws(FileError) in try FileSystem.removeDirectory(folder.path) }
            report.faults.append(
                StorageFault(code: FaultRegister.code(of: error), tenant: tenant))
            return nil
        }
    }

    private func files<Result>(
        _ body: () throws(FileError) -> Result
    ) throws(MaintenanceError) -> Result {
        do {
            return try body()
        } catch {
            throw .storage(error.storageError)
        }
    }
}

/// One check of everything: a copy of each tenant in turn, made beside the data and dropped again, so that writers
/// wait no longer than for a backup.
struct VerifyRun {
    let directory: DataDirectory
    let copier: TenantCopier
    let catalogue: SQLiteTenantCatalogue
    let isClosing: @Sendable () -> Bool

    private var draft: DataDirectory { DataDirectory(path: "\(directory.path)/.verify") }

    func run() -> MaintenanceResult {
        defer {
            // What is left of it goes with the next attempt, if it cannot go now.
            try? FileSystem.removeDirectory(draft.path)
        }
        do {
            return .success(try checkAll())
        } catch {
            return .failure(.storage(error))
        }
    }

    private func checkAll() throws(JarStorageError) -> MaintenanceReport {
        var report = MaintenanceReport()
        if try !catalogue.isSound() {
            report.faults.append(StorageFault(code: "catalogue-corrupt", tenant: nil))
        }
        for tenant in try prepare() {
            do throws(JarStorageError) {
                report.bytes += try check(tenant)
                report.tenants += 1
            } catch {
                guard error.isTenantsOwn, !isClosing() else { throw error }
                report.faults.append(
                    StorageFault(code: FaultRegister.code(of: error), tenant: tenant))
            }
        }
        return report
    }

    private func prepare() throws(JarStorageError) -> [TenantID] {
        try TenantCopier.files { () throws(FileError) in
            try FileSystem.removeDirectory(draft.path)
            try FileSystem.makeDirectory(draft.path)
            try FileSystem.makeDirectory(draft.tenantsPath)
            return try directory.tenants()
        }
    }

    private func check(_ tenant: TenantID) throws(JarStorageError) -> Int {
        let folder = draft.folder(of: tenant)
        let copy = try copier.copy(tenant, to: folder)
        try TenantCopier.files { () throws(FileError) in
            try FileSystem.removeDirectory(folder.path)
        }
        return copy.bytes
    }
}

extension JarStorageError {
    /// Whether it concerns this tenant's data rather than the place of the copy or everything.
    var isTenantsOwn: Bool {
        switch self {
        case .corrupt, .integrity, .schemaTooNew, .unavailable: true
        case .busy, .full, .readOnly, .inDoubt, .revisionConflict, .keyReused, .notPermitted:
            false
        }
    }
}
