// SPDX-License-Identifier: Apache-2.0

public import JarStorage

extension TenantCatalogue {
    /// Runs an operation and waits until it is durable.
    public func change<Answer: Sendable>(
        _ operation: @escaping @Sendable (inout CatalogueDraft) -> Answer
    ) async throws -> Answer {
        try await outcome { done in
            write(operation: operation) { done($0) }
        }
    }
}

extension TenantCatalogue {
    /// Everything, as of a moment after the call.
    public func newest() async throws -> CatalogueState {
        try await outcome { done in
            read { done($0) }
        }
    }
}

extension JarStorage {
    /// What a tenant takes.
    public func usage(of tenant: TenantID) async throws -> TenantUsage? {
        try await outcome { done in
            usage(of: tenant) { done($0) }
        }
    }

    /// Deletes a tenant.
    public func delete(_ tenant: TenantID) async throws {
        try await outcome { done in
            deleteTenant(tenant) { done($0) }
        }
    }
}
