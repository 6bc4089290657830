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

/// Runs an operation on a jar of a storage, for good or, as a dry run, on a draft that is dropped.
///
/// The tenant's sync rules are applied to what it changed, in the same transaction. An operation that throws has changed
/// nothing. A function beside the storages, not one of theirs: it is compiled for each kind of answer, which for one of
/// a storage that is only known while it runs is not possible, and costs ten thousand instructions per write.
func changeJar<Answer: Sendable>(
    _ address: JarAddress, in storage: any JarStorage, rules: CookieRules, now: Timestamp,
    isDryRun: Bool = false,
    operation: @escaping @Sendable (inout JarDraft) throws(ServiceError) -> Answer,
    completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
) {
    guard !isDryRun else {
        return storage.tryOut(address, operation: operation, completion: completion)
    }
    let change = JarChange(operation: operation, completion: completion, rules: rules, now: now)
    storage.write(
        address, operation: { change.apply(to: &$0) }, refuse: { change.refuse($0) })
}

/// An operation and who waits for it: what the closures that a storage is given share, which would else each keep a copy
/// of its own.
private final class JarChange<Answer: Sendable>: Sendable {
    private let operation: @Sendable (inout JarDraft) throws(ServiceError) -> Answer
    private let completion: @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    private let rules: CookieRules
    private let now: Timestamp

    init(
        operation: @escaping @Sendable (inout JarDraft) throws(ServiceError) -> Answer,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void,
        rules: CookieRules, now: Timestamp
    ) {
        self.operation = operation
        self.completion = completion
        self.rules = rules
        self.now = now
    }

    func apply(to draft: inout JarDraft) -> JarCompletion {
        do throws(ServiceError) {
            let answer = try operation(&draft)
            draft.applySyncRules(rules, now: now)
            return { [self] result in
                switch result {
                case .success(let snapshot):
                    completion(
                        .success(Changed(answer: answer, revision: snapshot.state.revision)))
                case .failure(let error): refuse(error)
                }
            }
        } catch {
            draft.discard()
            return { [self] result in
                switch result {
                case .success: completion(.failure(error))
                case .failure(let error): refuse(error)
                }
            }
        }
    }

    func refuse(_ error: JarStorageError) { completion(.failure(.storage(error))) }
}

extension JarStorage {
    fileprivate func tryOut<Answer: Sendable>(
        _ address: JarAddress,
        operation: @escaping @Sendable (inout JarDraft) throws(ServiceError) -> Answer,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        loadWithRecords(address) { result in
            completion(
                result.mapError(ServiceError.storage).flatMap { loaded in
                    let state = loaded.jar.state
                    var draft = JarDraft(state, tenant: loaded.tenant)
                    do throws(ServiceError) {
                        return .success(
                            Changed(answer: try operation(&draft), revision: state.revision))
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
