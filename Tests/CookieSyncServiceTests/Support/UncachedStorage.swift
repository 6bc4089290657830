// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// Jars in memory that are never ready at once, so that every read takes the way over `read`.
final class UncachedStorage: JarStorage {
    private let storage = MemoryJarStorage()
    var commits: CommitWatchers { storage.commits }

    func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        nil
    }

    func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        storage.read(address, completion: completion)
    }

    func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        storage.write(address, operation: operation, refuse: refuse)
    }

    func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void
    ) {
        storage.write(address, once: key, operation: operation, completion: completion)
    }

    func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        storage.jars(of: tenant, after: after, limit: limit, completion: completion)
    }

    func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        storage.changes(of: address, since: since, limit: limit, completion: completion)
    }

    func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? { nil }

    func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        storage.readTenant(tenant, completion: completion)
    }

    func writeTenant<Answer: Sendable>(
        _ tenant: TenantID, operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        storage.writeTenant(tenant, operation: operation, completion: completion)
    }

    func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {}

    func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        storage.usage(of: tenant, completion: completion)
    }

    func deleteTenant(
        _ tenant: TenantID, completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        storage.deleteTenant(tenant, completion: completion)
    }

    func health() -> [StorageFault] { [] }

    func close() { storage.close() }
}

/// A storage that fails in one way.
final class FailingStorage: JarStorage {
    let commits = CommitWatchers()
    private let error: JarStorageError
    private let faults: [StorageFault]

    init(_ error: JarStorageError, faults: [StorageFault] = []) {
        self.error = error
        self.faults = faults
    }

    func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        nil
    }

    func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        refuse(error)
    }

    func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? { nil }

    func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func writeTenant<Answer: Sendable>(
        _ tenant: TenantID, operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {}

    func deleteTenant(
        _ tenant: TenantID, completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        completion(.failure(error))
    }

    func health() -> [StorageFault] { faults }

    func close() {}
}
