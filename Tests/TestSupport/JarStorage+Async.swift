// SPDX-License-Identifier: Apache-2.0

public import JarStorage

extension JarStorage {
    /// Loads a jar.
    public func load(_ address: JarAddress) async throws -> JarSnapshot {
        try await outcome { done in
            read(address) { done($0) }
        }
    }

    /// Runs an operation and waits until it is durable.
    public func change<Answer: Sendable>(
        _ address: JarAddress, _ operation: @escaping @Sendable (inout JarDraft) -> Answer
    ) async throws -> Committed<Answer> {
        try await outcome { done in
            write(address, operation: operation) { done($0) }
        }
    }

    /// Runs an operation once for a key and waits until it is durable.
    public func change<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        _ operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>
    ) async throws -> OnceAnswer<Refusal> {
        try await outcome { done in
            write(address, once: key, operation: operation) { done($0) }
        }
    }

    /// Lists one page of jars.
    public func page(
        of tenant: TenantID, after: JarID? = nil, limit: Int = 100
    ) async throws -> [JarSummary] {
        try await outcome { done in
            jars(of: tenant, after: after, limit: limit) { done($0) }
        }
    }

    /// Reads one page of a jar's changes.
    public func feed(
        of address: JarAddress, since: UInt64, limit: Int = 100
    ) async throws -> ChangePage {
        try await outcome { done in
            changes(of: address, since: Revision(rawValue: since), limit: limit) {
                done($0)
            }
        }
    }

    /// Loads a tenant's records.
    public func records(of tenant: TenantID) async throws -> TenantState {
        try await outcome { done in
            readTenant(tenant) { done($0) }
        }
    }

    /// Runs an operation on a tenant's records and waits until it is durable.
    public func changeRecords<Answer: Sendable>(
        of tenant: TenantID, _ operation: @escaping @Sendable (inout TenantDraft) -> Answer
    ) async throws -> CommittedTenant<Answer> {
        try await outcome { done in
            writeTenant(tenant, operation: operation) { done($0) }
        }
    }

    /// The tenant's records in memory.
    public func cachedRecords(of tenant: TenantID) -> TenantState? {
        tenant.bytes.withUnsafeBufferPointer { cachedTenant($0) }
    }

    /// The jar in memory.
    public func cached(_ address: JarAddress) -> JarSnapshot? {
        address.tenant.bytes.withUnsafeBufferPointer { tenant in
            address.jar.bytes.withUnsafeBufferPointer { cachedSnapshot(tenant: tenant, jar: $0) }
        }
    }

    /// The jar in memory with a watch over it.
    public func watched(_ address: JarAddress) -> WatchedSnapshot? {
        address.tenant.bytes.withUnsafeBufferPointer { tenant in
            address.jar.bytes.withUnsafeBufferPointer { watchedSnapshot(tenant: tenant, jar: $0) }
        }
    }
}
