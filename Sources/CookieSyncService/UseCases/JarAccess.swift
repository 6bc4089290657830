// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What a change of a jar came to.
struct Changed<Answer: Sendable>: Sendable {
    /// What the operation returned.
    let answer: Answer
    /// The jar's revision after it; in a dry run, as it is.
    let revision: Revision
}

/// What is done to a jar, all in one transaction, and who waits for it.
protocol JarOperation<Answer>: Sendable {
    associatedtype Answer: Sendable

    /// Does it; an operation that throws has changed nothing.
    func run(on draft: inout JarDraft) throws(ServiceError) -> Answer

    /// Says what it came to.
    func complete(_ result: Result<Changed<Answer>, ServiceError>)
}

/// Runs an operation on a jar of a storage, for good or, as a dry run, on a draft that is dropped.
///
/// The tenant's sync rules are applied to what it changed, in the same transaction. A function beside the storages, not one
/// of theirs: it is compiled for each kind of operation, which for one of a storage that is only known while it runs is not
/// possible, and costs ten thousand instructions per write.
func changeJar(
    _ address: JarAddress, in storage: any JarStorage, rules: CookieRules, now: Timestamp,
    isDryRun: Bool = false, operation: some JarOperation
) {
    guard !isDryRun else { return storage.tryOut(address, operation: operation) }
    let change = JarChange(operation, rules: rules, now: now)
    storage.write(
        address, operation: { change.apply(to: &$0) }, refuse: { change.refuse($0) })
}

/// Runs an operation that is given as closures.
func changeJar<Answer: Sendable>(
    _ address: JarAddress, in storage: any JarStorage, rules: CookieRules, now: Timestamp,
    isDryRun: Bool = false,
    operation: @escaping @Sendable (inout JarDraft) throws(ServiceError) -> Answer,
    completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
) {
    changeJar(
        address, in: storage, rules: rules, now: now, isDryRun: isDryRun,
        operation: JarClosures(operation: operation, completion: completion))
}

private struct JarClosures<Answer: Sendable>: JarOperation {
    let operation: @Sendable (inout JarDraft) throws(ServiceError) -> Answer
    let completion: @Sendable (Result<Changed<Answer>, ServiceError>) -> Void

    func run(on draft: inout JarDraft) throws(ServiceError) -> Answer { try operation(&draft) }

    func complete(_ result: Result<Changed<Answer>, ServiceError>) { completion(result) }
}

/// An operation on its way: what the closures that a storage is given share, which would else each keep a copy of its own.
private final class JarChange<Operation: JarOperation>: Sendable {
    private let operation: Operation
    private let rules: CookieRules
    private let now: Timestamp

    init(_ operation: Operation, rules: CookieRules, now: Timestamp) {
        self.operation = operation
        self.rules = rules
        self.now = now
    }

    func apply(to draft: inout JarDraft) -> JarCompletion {
        do throws(ServiceError) {
            let answer = try operation.run(on: &draft)
            draft.applySyncRules(rules, now: now)
            return { [self] result in
                switch result {
                case .success(let snapshot):
                    operation.complete(
                        .success(Changed(answer: answer, revision: snapshot.state.revision)))
                case .failure(let error): refuse(error)
                }
            }
        } catch {
            draft.discard()
            return { [self] result in
                switch result {
                case .success: operation.complete(.failure(error))
                case .failure(let error): refuse(error)
                }
            }
        }
    }

    func refuse(_ error: JarStorageError) { operation.complete(.failure(.storage(error))) }
}

extension JarStorage {
    fileprivate func tryOut(_ address: JarAddress, operation: some JarOperation) {
        loadWithRecords(address) { result in
            operation.complete(
                result.mapError(ServiceError.storage).flatMap { loaded in
                    let state = loaded.jar.state
                    var draft = JarDraft(state, tenant: loaded.tenant)
                    do throws(ServiceError) {
                        return .success(
                            Changed(
                                answer: try operation.run(on: &draft), revision: state.revision))
                    } catch {
                        return .failure(error)
                    }
                })
        }
    }

    /// Loads a jar and the records of its tenant.
    func loadWithRecords(
        _ address: JarAddress,
        completion:
            @escaping @Sendable (
                Result<(jar: JarSnapshot, tenant: TenantState), JarStorageError>
            ) -> Void
    ) {
        readTenant(address.tenant) { [self] tenant in
            switch tenant {
            case .failure(let error): completion(.failure(error))
            case .success(let tenant):
                read(address) { completion($0.map { ($0, tenant) }) }
            }
        }
    }
}
