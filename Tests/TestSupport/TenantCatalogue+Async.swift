// SPDX-License-Identifier: Apache-2.0

public import JarStorage

extension TenantCatalogue {
    /// Runs an operation and waits until it is durable.
    public func change<Answer: Sendable>(
        _ operation: @escaping @Sendable (inout CatalogueDraft) -> Answer
    ) async throws -> Answer {
        try await withCheckedThrowingContinuation { continuation in
            write(operation: operation) { continuation.resume(with: $0) }
        }
    }
}

extension TenantCatalogue {
    /// Everything, as of a moment after the call.
    public func newest() async throws -> CatalogueState {
        try await withCheckedThrowingContinuation { continuation in
            read { continuation.resume(with: $0) }
        }
    }
}

extension JarStorage {
    /// What a tenant takes.
    public func usage(of tenant: TenantID) async throws -> TenantUsage? {
        try await withCheckedThrowingContinuation { continuation in
            usage(of: tenant) { continuation.resume(with: $0) }
        }
    }

    /// Deletes a tenant.
    public func delete(_ tenant: TenantID) async throws {
        try await withCheckedThrowingContinuation { continuation in
            deleteTenant(tenant) { continuation.resume(with: $0) }
        }
    }
}
