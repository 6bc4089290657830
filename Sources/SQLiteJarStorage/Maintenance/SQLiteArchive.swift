// SPDX-License-Identifier: Apache-2.0

public import JarStorage
import Synchronization

/// A data directory that is taken so that nobody serves it: its tenants as they are.
///
/// One tenant is open at a time. Values are sealed and opened as the service does it, with the keys of the configuration.
public final class SQLiteArchive: JarArchive {
    private let directory: DataDirectory
    private let lock: DirectoryLock
    private let sealing: DirectorySealing
    private var current: (tenant: TenantID, database: TenantDatabase)?

    /// Takes the directory, which is made if it is not there.
    ///
    /// - Throws: `StorageOpenError` when another process has it, or it cannot be used.
    public init(_ configuration: SQLiteJarStorageConfiguration) throws(StorageOpenError) {
        directory = DataDirectory(path: configuration.dataDirectory)
        lock = try directory.take()
        do {
            sealing = try DirectorySealing(directory, configuration.keys)
        } catch {
            throw .keys(path: configuration.dataDirectory, error)
        }
    }

    deinit { try? close() }

    /// The tenants that have a folder, by name.
    public func tenants() throws(JarStorageError) -> [TenantID] {
        try TenantCopier.files { () throws(FileError) in try directory.tenants() }
    }

    /// The jars of a tenant by name.
    public func jars(of tenant: TenantID) throws(JarStorageError) -> [JarID] {
        guard let database = try open(tenant) else { return [] }
        return try engine { () throws(SQLiteError) in try database.jarNames() }
    }

    /// All that is kept of a jar.
    public func image(of address: JarAddress) throws(JarStorageError) -> JarImage {
        guard let database = try open(address.tenant) else {
            return JarImage(state: .empty, floor: .zero, changes: [])
        }
        return try engine { () throws(SQLiteError) in try database.image(of: address.jar) }
    }

    /// The tenant's records.
    public func records(of tenant: TenantID) throws(JarStorageError) -> RecordImage {
        guard let database = try open(tenant) else {
            return RecordImage(revision: .zero, records: [])
        }
        return try engine { () throws(SQLiteError) in try database.recordImage() }
    }

    /// Keeps a jar that is not there, in one transaction.
    public func put(_ image: JarImage, at address: JarAddress) throws(JarStorageError) {
        try change(address.tenant) { (database) throws(TransactionError) in
            try database.put(image, as: address.jar)
        }
    }

    /// Keeps the records of a tenant that has none, in one transaction.
    public func put(_ records: RecordImage, of tenant: TenantID) throws(JarStorageError) {
        try change(tenant) { (database) throws(TransactionError) in try database.put(records) }
    }

    /// What is in its catalogue; nothing where there is none.
    public func catalogue() throws(JarStorageError) -> CatalogueImage {
        guard FileSystem.exists(directory.cataloguePath) else { return .empty }
        return try withCatalogue { (database) throws(SQLiteError) in
            let state = try database.load()
            return CatalogueImage(
                tenants: state.tenants,
                tokens: state.tokens.map {
                    CatalogueImage.Token(
                        record: $0.record, lastUse: $0.use.lastUse.load(ordering: .relaxed))
                })
        }
    }

    /// Keeps a catalogue where nothing is in one, in one transaction.
    public func put(_ catalogue: CatalogueImage) throws(JarStorageError) {
        let failure = try withCatalogue { (database) throws(SQLiteError) -> JarStorageError? in
            do throws(TransactionError) {
                try database.put(catalogue)
                return nil
            } catch {
                return error.isInDoubt ? .inDoubt : error.cause.storageError
            }
        }
        if let failure { throw failure }
    }

    private func withCatalogue<Value>(
        _ body: (CatalogueDatabase) throws(SQLiteError) -> Value
    ) throws(JarStorageError) -> Value {
        let database: CatalogueDatabase
        do throws(CatalogueError) {
            database = try CatalogueDatabase(path: directory.cataloguePath)
        } catch {
            throw error.storageError
        }
        return try engine { () throws(SQLiteError) in
            let value = try body(database)
            try database.close()
            return value
        }
    }

    private func change(
        _ tenant: TenantID, _ body: (TenantDatabase) throws(TransactionError) -> Void
    ) throws(JarStorageError) {
        let folder = directory.folder(of: tenant)
        do throws(TenantOpenError) {
            if !FileSystem.exists(folder.path) { try TenantDatabase.create(folder) }
        } catch {
            throw error.storageError
        }
        guard let database = try open(tenant) else { throw .unavailable }
        do throws(TransactionError) {
            if database.sealing.isBehind { try database.updateKeys(.wallClock) }
            try body(database)
        } catch {
            throw error.isInDoubt ? .inDoubt : error.cause.storageError
        }
        try TenantCopier.files { () throws(FileError) in try database.raiseHighWaterMark() }
    }

    /// The tenant's database; nil when there is none.
    private func open(_ tenant: TenantID) throws(JarStorageError) -> TenantDatabase? {
        if let current, current.tenant == tenant { return current.database }
        try close()
        let folder = directory.folder(of: tenant)
        guard FileSystem.exists(folder.path) else { return nil }
        do throws(TenantOpenError) {
            let database = try TenantDatabase.open(folder, sealing)
            current = (tenant, database)
            return database
        } catch {
            throw error.storageError
        }
    }

    private func close() throws(JarStorageError) {
        guard let database = current?.database else { return }
        current = nil
        try engine { () throws(SQLiteError) in try database.close() }
    }

    private func engine<Value>(
        _ body: () throws(SQLiteError) -> Value
    ) throws(JarStorageError) -> Value {
        do {
            return try body()
        } catch {
            throw error.storageError
        }
    }
}
