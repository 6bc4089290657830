// SPDX-License-Identifier: Apache-2.0

public import JarStorage

extension SQLiteJarStorage: StorageMaintenance {
    /// Copies every tenant, a few pages at a time between its writer's rounds.
    public func backUp(
        as name: BackupName, completion: @escaping @Sendable (MaintenanceResult) -> Void
    ) {
        let run = BackupRun(
            directory: DataDirectory(path: configuration.dataDirectory),
            destination: configuration.backupDirectory, name: name,
            copier: TenantCopier(writers: writers, sealing: sealing), catalogue: catalogue,
            isClosing: { [maintenance] in maintenance.isClosing })
        maintenance.start({ run.run() }, completion: completion)
    }

    /// Checks a copy of every tenant; needs room for the largest.
    public func verify(completion: @escaping @Sendable (MaintenanceResult) -> Void) {
        let run = VerifyRun(
            directory: DataDirectory(path: configuration.dataDirectory),
            copier: TenantCopier(writers: writers, sealing: sealing), catalogue: catalogue,
            isClosing: { [maintenance] in maintenance.isClosing })
        maintenance.start({ run.run() }, completion: completion)
    }

    /// Seals every value with the key in use, a few rows at a time between the writers' rounds.
    public func encrypt(completion: @escaping @Sendable (MaintenanceResult) -> Void) {
        let run = EncryptRun(
            directory: DataDirectory(path: configuration.dataDirectory), sealing: sealing,
            writers: writers, isClosing: { [maintenance] in maintenance.isClosing })
        maintenance.start({ run.run() }, completion: completion)
    }
}
