// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import Telemetry
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("Folding the log")
struct FoldingTests {
    static let stores = [StorageWorld.store("native"), StorageWorld.store("webview")]
    private static let names = ["a", "b", "c"]

    /// One random thing, the same for the same generator.
    static func operation(
        _ generator: inout SeededGenerator
    ) -> @Sendable (inout JarDraft) -> Void {
        let kind = Int.random(in: 0..<12, using: &generator)
        let store = stores.randomElement(using: &generator) ?? stores[0]
        let name = names.randomElement(using: &generator) ?? "a"
        let number = Int.random(in: 0..<4, using: &generator)
        let domain = number.isMultiple(of: 2) ? ".example.com" : "www.example.com"
        let key = number == 3 ? "https://top.example" : nil
        let seconds = Int64.random(in: 0..<1000, using: &generator)
        let now = StorageWorld.start.adding(seconds: seconds)
        return { draft in
            switch kind {
            case 0..<5:
                let cookie = StorageWorld.cookie(
                    name, "v\(number)", domain: domain, partitionKey: key,
                    expires: kind == 0 ? now.adding(seconds: 50) : nil)
                _ = draft.put(cookie, in: store, rules: StorageWorld.rules, now: now)
            case 5..<7:
                let identity = StorageWorld.identity(name, domain: domain, partitionKey: key)
                _ = draft.delete(identity, in: store, now: now)
            case 7..<9:
                let request = SyncRequest(
                    from: store, to: store == stores[0] ? stores[1] : stores[0],
                    mode: kind == 7 ? .twoWay : .merge)
                _ = draft.sync(request, rules: StorageWorld.rules, now: now)
            case 9:
                _ = draft.removeExpired(in: store, limit: 3, now: now)
            case 10:
                let settings = StoreSettings(
                    acceptPolicy: .onlyFromMainDocument, matching: .hostSuffix,
                    sessionLifetimeSeconds: seconds == 0 ? nil : seconds)
                _ = draft.configure(store, as: settings, now: now)
            default:
                if number == 0 {
                    _ = draft.deleteStore(store, now: now)
                } else if number == 1 {
                    _ = draft.deleteJar(now: now)
                }
            }
        }
    }

    /// With few rows at a time nearly each is folded by itself; with many, most are of a cookie that has another one.
    @Test(
        "a jar read back from log and tables is the jar that was written", arguments: 0..<12,
        [2, 24])
    func equivalence(seed: UInt64, chunk: Int) async throws {
        var generator = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let reference = MemoryJarStorage()
        let addresses = (0..<3).map { StorageWorld.address("jar-\($0)") }
        var configuration = SQLiteJarStorageConfiguration.cramped(directory.path)
        if chunk > 2 {
            (configuration.foldThreshold, configuration.foldChunk) = (chunk, chunk)
            configuration.idleFoldMilliseconds = 60_000
        }
        for _ in 0..<5 {
            let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
            for _ in 0..<30 {
                let address = addresses.randomElement(using: &generator) ?? addresses[0]
                let operation = Self.operation(&generator)
                _ = try await reference.change(address, operation)
                _ = try await storage.change(address, operation)
            }
            for address in addresses {
                let expected = try await reference.load(address).state
                let found = try await storage.load(address).state
                #expect(found.contents == expected.contents)
                #expect(found.footprint == expected.footprint)
            }
            let tenant = addresses[0].tenant
            #expect(try await storage.page(of: tenant) == reference.page(of: tenant))
            storage.close()
        }
    }

    @Test("writes when cookies were last used, without a revision")
    func accesses() async throws {
        let directory = try TemporaryDirectory()
        let alice = StorageWorld.address("alice")
        let native = Self.stores[0]
        let later = StorageWorld.start.adding(seconds: 61)
        var configuration = SQLiteJarStorageConfiguration(dataDirectory: directory.path)
        (configuration.foldThreshold, configuration.idleFoldMilliseconds) = (1, 0)
        let storage = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        for name in ["a", "b"] {
            _ = try await storage.change(alice) { draft in
                draft.put(
                    StorageWorld.cookie(name, "1"), in: native, rules: StorageWorld.rules,
                    now: StorageWorld.start)
            }
        }
        let used = try await storage.load(alice).state
        let url = try CookieURL(
            parsing: Array("https://www.example.com/".utf8), names: StorageWorld.rules.names)
        var header: [UInt8] = []
        _ = used[native].cookies.appendCookieHeader(
            for: RequestContext(url: url), rules: StorageWorld.rules, now: later, to: &header)
        // A change of another store gives the jar something to fold.
        _ = try await storage.change(alice) { draft in
            draft.put(
                StorageWorld.cookie("c", "1"), in: Self.stores[1],
                rules: StorageWorld.rules, now: StorageWorld.start)
        }
        storage.close()
        let reopened = try SQLiteJarStorage(configuration: configuration, logger: .silent)
        let found = try await reopened.load(alice).state
        #expect(found.revision.rawValue == 3)
        for name in ["a", "b"] {
            let cookie = found[native].cookies[StorageWorld.identity(name)]
            #expect(cookie?.lastAccess == later)
            #expect(cookie?.updatedAt == StorageWorld.start)
        }
        reopened.close()
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
