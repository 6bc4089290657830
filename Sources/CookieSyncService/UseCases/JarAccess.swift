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

extension JarStorage {
    /// Runs an operation on a jar, for good or, as a dry run, on a draft that is dropped.
    ///
    /// The tenant's sync rules are applied to what it changed, in the same transaction. An operation that throws has
    /// changed nothing.
    func change<Answer: Sendable>(
        _ address: JarAddress, rules: CookieRules, now: Timestamp, isDryRun: Bool = false,
        operation: @escaping @Sendable (inout JarDraft) throws(ServiceError) -> Answer,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        guard !isDryRun else {
            return tryOut(address, operation: operation, completion: completion)
        }
        write(
            address,
            operation: { draft -> Result<Answer, ServiceError> in
                do throws(ServiceError) {
                    let answer = try operation(&draft)
                    draft.applySyncRules(rules, now: now)
                    return .success(answer)
                } catch {
                    draft.discard()
                    return .failure(error)
                }
            },
            completion: { result in
                completion(
                    result.mapError(ServiceError.storage).flatMap { committed in
                        committed.answer.map {
                            Changed(answer: $0, revision: committed.snapshot.state.revision)
                        }
                    })
            })
    }

    private func tryOut<Answer: Sendable>(
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
