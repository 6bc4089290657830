// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A catalogue in memory that can be told not to know whether it is current, as a fleet's without its database.
final class ForgetfulCatalogue: TenantCatalogue {
    enum Knowledge {
        case current
        case doubtful
        case lost
    }

    private let catalogue = MemoryTenantCatalogue()
    private let knowledge = Locked(Knowledge.current)
    private let observer = Locked<(@Sendable () -> Void)?>(nil)

    /// Sets what it knows, and tells.
    func set(_ knowledge: Knowledge) {
        self.knowledge.withLock { $0 = knowledge }
        observer.withLock { $0 }?()
    }

    var state: CatalogueState { catalogue.state }
    var currentState: CatalogueState? {
        knowledge.withLock { $0 } == .current ? catalogue.state : nil
    }
    var isLost: Bool { knowledge.withLock { $0 } == .lost }
    var hasLimits: Bool { catalogue.hasLimits }
    var pepper: CataloguePepper { catalogue.pepper }

    func observe(_ observer: @escaping @Sendable () -> Void) {
        self.observer.withLock { $0 = observer }
    }

    func read(
        completion: @escaping @Sendable (Result<CatalogueState, JarStorageError>) -> Void
    ) {
        completion(currentState.map { .success($0) } ?? .failure(.unavailable))
    }

    func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void
    ) {
        catalogue.write(operation: operation, completion: completion)
    }
}
