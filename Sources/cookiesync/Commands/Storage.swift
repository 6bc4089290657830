// SPDX-License-Identifier: Apache-2.0

internal import SQLiteJarStorage
internal import Telemetry

/// The storage as the settings want it: the one place that knows which it is.
enum Storage {
    /// Takes the data directory.
    static func open(_ settings: Settings, _ logger: Logger) throws(Failure) -> SQLiteJarStorage {
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

    private static func configuration(
        _ settings: Settings
    ) throws(Failure) -> SQLiteJarStorageConfiguration {
        var configuration = SQLiteJarStorageConfiguration(
            dataDirectory: settings.text(.dataDirectory) ?? "")
        configuration.keys = try Keys.read(settings)
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

    private static func exitCode(_ error: StorageOpenError) -> ExitCode {
        switch error {
        case .alreadyLocked: .locked
        case .dataDirectory, .notServable, .keys: .configuration
        case .engine, .thread: .system
        }
    }
}
