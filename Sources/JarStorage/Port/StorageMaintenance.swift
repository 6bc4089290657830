// SPDX-License-Identifier: Apache-2.0

/// What an operator asks of a storage that keeps files: copies that are consistent, and whether all is sound.
///
/// Both go on while jars are read and written, one run at a time. A completion is called exactly once, on a
/// thread of the storage's own.
public protocol StorageMaintenance: Sendable {
    /// Copies every tenant as of a moment after the call; each copy is checked, and the whole appears under
    /// its name durable and complete, or not at all.
    ///
    /// A tenant that cannot be copied is left out and named in the report.
    func backUp(as name: BackupName, completion: @escaping @Sendable (MaintenanceResult) -> Void)

    /// Checks the data of every tenant: the structure of its files, their schema, and that nothing that was
    /// acknowledged is missing.
    func verify(completion: @escaping @Sendable (MaintenanceResult) -> Void)

    /// Seals every value that the key in use has not sealed yet: those from before encryption was turned on, which this
    /// does, and those of a key that it follows on.
    ///
    /// Cut short, it may be begun anew at any time. A tenant with values that cannot be sealed is named in the report.
    func encrypt(completion: @escaping @Sendable (MaintenanceResult) -> Void)
}

/// What a run came to.
public typealias MaintenanceResult = Result<MaintenanceReport, MaintenanceError>

/// What a run found.
public struct MaintenanceReport: Hashable, Sendable {
    /// How many tenants are sound, and, in a backup, in it.
    public var tenants = 0
    /// How many octets their copies take.
    public var bytes = 0
    /// The tenants that are not.
    public var faults: [StorageFault] = []

    /// A report of nothing yet.
    public init() {}
}

/// Why a run did not take place.
public enum MaintenanceError: Error, Hashable, Sendable {
    /// Another run is under way.
    case running
    /// There is a backup of that name.
    case nameTaken
    /// There is no key to seal with.
    case noKey
    /// The storage failed, or the place of the backups did.
    case storage(JarStorageError)
}
