// SPDX-License-Identifier: Apache-2.0

import Cookies
import FoundationEssentials
import Glibc
import JarStorage
import Sealing
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

/// A data directory with keys, and what can be done to its files behind the storage's back.
struct SealedWorld {
    let directory: TemporaryDirectory
    let key: MasterKey
    static let canary = "c4n4ry-0f-a-cookies-value"

    init() throws {
        directory = try TemporaryDirectory()
        key = try Self.newKey()
    }

    static func newKey() throws -> MasterKey { try MasterKey(KeyBytes.random()) }

    var data: String { directory.file("data") }

    func open(
        _ keys: KeyRing?, at path: String? = nil, sink: RecordingLogSink = RecordingLogSink(),
        folding: Bool = false
    ) throws -> SQLiteJarStorage {
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: path ?? data)
        configuration.keys = keys
        configuration.idleFoldMilliseconds = folding ? 0 : 3_600_000
        if folding { configuration.foldThreshold = 1 }
        return try SQLiteJarStorage(
            configuration: configuration, logger: Logger(level: .warning, sink: sink))
    }

    func open(folding: Bool = false) throws -> SQLiteJarStorage {
        try open(KeyRing(current: key), folding: folding)
    }

    /// Why the directory is not opened with these keys.
    func trouble(_ keys: KeyRing?, at path: String? = nil) -> KeyTrouble? {
        do {
            try open(keys, at: path).close()
            return nil
        } catch let error as StorageOpenError {
            guard case .keys(_, let trouble) = error else { return nil }
            return trouble
        } catch {
            return nil
        }
    }

    /// Stores a cookie.
    static func put(
        _ name: String, _ value: String = canary, at address: JarAddress,
        in storage: SQLiteJarStorage
    ) async throws {
        let committed = try await storage.change(address) { draft in
            _ = draft.put(
                StorageWorld.cookie(name, value), in: StorageWorld.store("native"),
                rules: StorageWorld.rules, now: StorageWorld.start)
        }
        #expect(committed.snapshot.state.revision > .zero)
    }

    /// The value of a cookie; nil when there is none.
    static func value(
        _ name: String, at address: JarAddress, in storage: SQLiteJarStorage
    ) async throws -> String? {
        let state = try await storage.load(address).state
        return state[StorageWorld.store("native")].cookies[StorageWorld.identity(name)].map {
            String(decoding: $0.value.bytes, as: UTF8.self)
        }
    }

    /// Runs SQL on a tenant's closed database.
    func tamper(_ sql: String, tenant: String = "acme") throws {
        let connection = try Connection(path: "\(data)/tenants/\(tenant)/jar.sqlite")
        try connection.execute(sql, "tamper")
        try connection.close()
    }

    /// The files below the data directory that hold these octets as they are.
    func files(holding text: String = canary, below path: String? = nil) throws -> [String] {
        let files = FileManager.default
        return try files.subpathsOfDirectory(atPath: path ?? data).filter { name in
            let content = [UInt8](files.contents(atPath: "\(path ?? data)/\(name)") ?? Data())
            return Self.holds(content, Array(text.utf8))
        }
    }

    private static func holds(_ content: [UInt8], _ text: [UInt8]) -> Bool {
        content.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var start = 0
            while start + text.count <= bytes.count {
                guard let next = memchr(base + start, Int32(text[0]), bytes.count - start) else {
                    return false
                }
                start = next - UnsafeMutableRawPointer(mutating: base)
                if start + text.count <= bytes.count, memcmp(base + start, text, text.count) == 0 {
                    return true
                }
                start += 1
            }
            return false
        }
    }
}

extension StorageMaintenance {
    /// Seals what is there with the key in use, and waits.
    func encrypt() async -> MaintenanceResult {
        await withCheckedContinuation { continuation in
            encrypt { continuation.resume(returning: $0) }
        }
    }
}

extension TenantDatabase {
    var dataKeyCount: Int64 {
        get throws { try connection.integer("SELECT count(*) FROM data_key") }
    }
}
