// SPDX-License-Identifier: Apache-2.0

private import Dispatch
private import Locks
private import Synchronization

/// The reference engine of the catalogue: everything in memory, nothing durable.
public final class MemoryTenantCatalogue: TenantCatalogue {
    /// A key of its own, drawn anew.
    public let pepper = CataloguePepper.random()
    private let current = Locked(CatalogueState())
    private let isLimited = Atomic(false)
    private let queue = DispatchQueue(label: "memory-tenant-catalogue")

    /// An empty catalogue.
    public init() {}

    /// Everything, as of the newest write.
    public var state: CatalogueState { current.withLock { $0 } }

    /// True.
    public var isExclusive: Bool { true }

    /// Whether any tenant has limits.
    public var hasLimits: Bool { isLimited.load(ordering: .relaxed) }

    /// Runs the operation and publishes what it changed.
    public func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            var draft = CatalogueDraft(state)
            let answer = operation(&draft)
            let after = draft.state
            if !draft.changes.isEmpty {
                current.withLock { $0 = after }
                isLimited.store(after.hasLimits, ordering: .relaxed)
            }
            completion(.success(answer))
        }
    }
}
