// SPDX-License-Identifier: Apache-2.0

internal import JarStorage
internal import PostgresJarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// The storage as the settings want it: the one place that knows which it is.
struct Storage {
    let jars: any JarStorage
    /// The tenants and tokens.
    let catalogue: any TenantCatalogue
    /// The key of the tokens and of the audit log; nil for a database that is open to everyone, where there are neither.
    let pepper: CataloguePepper?
    /// Backups and checks; nil where they are the database's.
    let maintenance: (any StorageMaintenance)?
    /// The data directory of a node, where jars are in a database.
    private let directory: DataDirectoryClaim?

    /// Connects to the database if the settings name one, else takes the data directory.
    static func open(_ settings: Settings, _ logger: Logger) throws(Failure) -> Storage {
        guard settings.text(.storage) != nil else {
            let files = try openFiles(settings, logger)
            return Storage(
                jars: files, catalogue: files.catalogue, pepper: files.catalogue.pepper,
                maintenance: files, directory: nil)
        }
        // Sealed values are promised with a key; better no service than one that writes them in clear.
        guard settings.text(.keyFile) == nil else {
            throw Failure(
                .configuration, "key-file: values in a database are not sealed; leave it out")
        }
        var configuration = try database(settings)
        // Without an admin token there are no tokens, and nothing is audited: the node needs no directory.
        let isClosed = settings.text(.adminTokenFile) != nil
        let directory = isClosed ? try claim(settings) : nil
        let pepper =
            isClosed
            ? try agree(on: pepperFile(settings), configuration.connection, logger) : nil
        if let pepper { configuration.pepper = pepper }
        configuration.requiresTenants = isClosed
        do {
            let jars = try PostgresJarStorage(configuration: configuration, logger: logger)
            return Storage(
                jars: jars, catalogue: jars.catalogue, pepper: pepper, maintenance: nil,
                directory: directory)
        } catch {
            throw Failure(exitCode(error), "storage: \(error)")
        }
    }

    private static func claim(_ settings: Settings) throws(Failure) -> DataDirectoryClaim {
        do {
            return try DataDirectoryClaim(settings.text(.dataDirectory) ?? "")
        } catch {
            throw Failure(exitCode(error), "data-dir: \(error)")
        }
    }

    /// The pepper of a node's file, which is to be that of all others.
    ///
    /// The file is made, and the database told of it, if `adopts` and the database knows of none.
    static func agree(
        on path: String, _ connection: ConnectionInfo, adopting adopts: Bool = true,
        _ logger: Logger
    ) throws(Failure) -> CataloguePepper {
        do throws(FleetPepperError<StorageOpenError>) {
            return try FleetPepper.agree(connection, adopting: adopts, logger: logger) {
                (mayMake) throws(StorageOpenError) in
                try PepperFile.open(path, mayMake: mayMake)
            }
        } catch {
            switch error {
            case .database(let error): throw Failure(exitCode(error), "storage: \(error)")
            case .file(.pepper(_, isMissing: true)):
                throw Failure(
                    .configuration,
                    "pepper-file: \(path) is missing: put the one there that the tokens were "
                        + "made with, of another node or of the data directory that they come from")
            case .file(let error): throw Failure(exitCode(error), "pepper-file: \(error)")
            case .other:
                throw Failure(
                    .configuration,
                    "pepper-file: \(path) is not the one that the tokens in the database were "
                        + "made with: put another node's there")
            }
        }
    }

    /// Where the pepper is.
    static func pepperFile(_ settings: Settings) -> String {
        settings.text(.pepperFile) ?? "\(settings.text(.dataDirectory) ?? "")/pepper"
    }

    /// The connection string of the settings.
    static func connection(_ settings: Settings) throws(Failure) -> ConnectionInfo {
        guard let text = settings.text(.storage), let connection = ConnectionInfo(text) else {
            throw Failure(
                .configuration,
                "storage: must be a connection string, postgres://HOST/DATABASE or host=HOST dbname=DATABASE"
            )
        }
        return connection
    }

    /// Takes the data directory.
    static func openFiles(
        _ settings: Settings, _ logger: Logger
    ) throws(Failure) -> SQLiteJarStorage {
        let configuration = try configuration(settings)
        do {
            return try SQLiteJarStorage(configuration: configuration, logger: logger)
        } catch {
            throw Failure(exitCode(error), "data-dir: \(error)")
        }
    }

    /// Whether a directory holds no data: it is empty, or not there, or has never had a tenant.
    static func isFresh(_ directory: String) throws(Failure) -> Bool {
        do {
            return try SQLiteJarStorage.isFresh(directory)
        } catch {
            throw Failure(exitCode(error), "data-dir: \(error)")
        }
    }

    private static func database(
        _ settings: Settings
    ) throws(Failure) -> PostgresJarStorageConfiguration {
        var configuration = PostgresJarStorageConfiguration(connection: try connection(settings))
        if let connections = settings.number(.storageConnections) {
            configuration.readConnections = max(1, connections / 3)
            configuration.writeConnections = connections - configuration.readConnections
        }
        if let calls = settings.number(.writeQueue) { configuration.queueLimit = calls }
        if let bytes = settings.number(.cacheBytes) { configuration.cacheBytes = bytes }
        if let milliseconds = settings.number(.sweepInterval) {
            configuration.sweepIntervalMilliseconds = milliseconds
        }
        if let milliseconds = settings.number(.changeRetention) {
            configuration.changeRetentionSeconds = milliseconds / 1000
        }
        if let changes = settings.number(.changeLimit) { configuration.changeLimit = changes }
        return configuration
    }

    static func exitCode(_ error: DatabaseOpenError) -> ExitCode {
        switch error {
        case .unreachable: .unavailable
        case .schemaMissing: .configuration
        case .schemaTooNew: .damaged
        case .thread: .system
        }
    }

    /// What the settings say about it, with the keys that they name.
    static func configuration(
        _ settings: Settings
    ) throws(Failure) -> SQLiteJarStorageConfiguration {
        var configuration = SQLiteJarStorageConfiguration(
            dataDirectory: settings.text(.dataDirectory) ?? "")
        configuration.keys = try Keys.read(settings)
        configuration.pepperFile = pepperFile(settings)
        if let path = settings.text(.backupDirectory) { configuration.backupDirectory = path }
        if let threads = settings.number(.writerThreads) { configuration.writerThreads = threads }
        if let calls = settings.number(.writeQueue) { configuration.queueLimit = calls }
        if let tenants = settings.number(.openTenants) {
            configuration.maximumOpenTenants = tenants
        }
        if let bytes = settings.number(.cacheBytes) { configuration.snapshotCacheBytes = bytes }
        if let milliseconds = settings.number(.sweepInterval) {
            configuration.sweepIntervalMilliseconds = milliseconds
        }
        if let milliseconds = settings.number(.changeRetention) {
            configuration.changeRetentionSeconds = milliseconds / 1000
        }
        if let changes = settings.number(.changeLimit) { configuration.changeLimit = changes }
        return configuration
    }

    /// What to exit with when the storage cannot be opened.
    static func exitCode(_ error: StorageOpenError) -> ExitCode {
        switch error {
        case .alreadyLocked: .locked
        case .dataDirectory, .notServable, .keys, .pepper: .configuration
        case .catalogue: .damaged
        case .catalogueFailed: .output
        case .engine, .thread: .system
        }
    }
}
