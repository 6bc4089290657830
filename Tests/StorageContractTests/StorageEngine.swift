// SPDX-License-Identifier: Apache-2.0

import JarStorage
import PostgresJarStorage
import SQLiteJarStorage
import Sealing
import Telemetry
import TestSupport
import Testing

/// The engines that are held to the contract.
enum StorageEngine: CaseIterable {
    case memory
    case sqlite
    /// With everything as small as it can be: folded after each write, one file open, nothing cached.
    case cramped
    /// As cramped, and sealed.
    case sealed
    case postgres
    /// With one connection of each kind, and nothing kept in memory.
    case narrowPostgres

    /// A storage of its own, with the directory that it lives in.
    func make() throws -> (storage: any JarStorage, directory: TemporaryDirectory) {
        let directory = try TemporaryDirectory()
        switch self {
        case .memory: return (MemoryJarStorage(), directory)
        case .sqlite:
            let configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
            return (
                try SQLiteJarStorage(configuration: configuration, logger: .silent), directory
            )
        case .cramped:
            let configuration = SQLiteJarStorageConfiguration.cramped(directory.path)
            return (
                try SQLiteJarStorage(configuration: configuration, logger: .silent), directory
            )
        case .sealed:
            var configuration = SQLiteJarStorageConfiguration.cramped(directory.path)
            configuration.keys = KeyRing(current: try MasterKey(KeyBytes.random()))
            return (
                try SQLiteJarStorage(configuration: configuration, logger: .silent), directory
            )
        case .postgres:
            return (try Self.postgres { _ in }, directory)
        case .narrowPostgres:
            let storage = try Self.postgres { configuration in
                configuration.readConnections = 1
                configuration.writeConnections = 1
                configuration.cacheBytes = 0
            }
            return (storage, directory)
        }
    }

    private static func postgres(
        _ adjust: (inout PostgresJarStorageConfiguration) -> Void
    ) throws -> PostgresJarStorage {
        let database = try PrivatePostgres.shared.get().makeDatabase()
        let connection = try #require(ConnectionInfo(database))
        var configuration = PostgresJarStorageConfiguration(connection: connection)
        adjust(&configuration)
        return try PostgresJarStorage(configuration: configuration, logger: .silent)
    }
}

extension SQLiteJarStorageConfiguration {
    /// Settings that make every rare thing happen often.
    static func cramped(_ path: String) -> SQLiteJarStorageConfiguration {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: path)
        configuration.foldThreshold = 1
        configuration.foldChunk = 2
        configuration.idleFoldMilliseconds = 0
        configuration.maximumOpenTenants = 1
        configuration.snapshotCacheBytes = 0
        return configuration
    }
}
