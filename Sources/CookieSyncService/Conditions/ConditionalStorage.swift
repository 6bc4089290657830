// SPDX-License-Identifier: Apache-2.0

import Cookies
import HTTPServer
import JarStorage

/// A storage whose writes take place on the conditions of one call, which are decided inside them: what the call says, and
/// that whoever sent it may still write.
///
/// With an `Idempotency-Key`, the completion of a write is called inside the operation for the sake of its answer, which
/// the `OnceCall` catches; it is called again only if the write failed.
final class ConditionalStorage: JarStorage {
    /// Why nothing was written, and nothing is kept.
    private enum Refusal: Error {
        case conflict(Revision)
        case barred(JarStorageError)
        case answered(HTTPResponse)
        case unanswered
    }

    private let base: any JarStorage
    private let expected: ExpectedRevision?
    private let once: OnceCall?
    /// Why whoever sent the call may not write, if so; asked when the write's turn has come.
    private let bar: @Sendable () -> JarStorageError?
    private let id: RequestID

    init(
        _ base: any JarStorage, _ conditions: CallConditions?, id: RequestID,
        bar: @escaping @Sendable () -> JarStorageError?
    ) {
        self.base = base
        expected = conditions?.expected
        once = conditions?.once
        self.id = id
        self.bar = bar
    }

    func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        if let once { return write(address, once, operation: operation, refuse: refuse) }
        base.write(
            address,
            operation: { [expected, bar] draft in
                var refusal = bar()
                if refusal == nil, let expected, !expected.isMet(by: draft.base) {
                    refusal = .revisionConflict(draft.base.revision)
                }
                guard let refusal else { return operation(&draft) }
                return { result in
                    switch result {
                    case .success: refuse(refusal)
                    case .failure(let error): refuse(error)
                    }
                }
            }, refuse: refuse)
    }

    private func write(
        _ address: JarAddress, _ once: OnceCall,
        operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        base.write(
            address, once: once.key,
            operation: { [expected, bar] draft -> Result<[UInt8], Refusal> in
                if let error = bar() { return .failure(.barred(error)) }
                guard expected?.isMet(by: draft.base) ?? true else {
                    return .failure(.conflict(draft.base.revision))
                }
                let completion = operation(&draft)
                let snapshot = JarSnapshot(draft.state)
                let response = once.answer { completion(.success(snapshot)) }
                if let kept = response.flatMap(StoredAnswer.init) { return .success(kept.bytes) }
                draft.discard()
                // What cannot be kept must not say that something was written.
                guard let response, response.status.code >= 300 else {
                    return .failure(.unanswered)
                }
                return .failure(.answered(response))
            },
            completion: { [id] result in
                switch result {
                case .success(.answered(let bytes)):
                    once.send(
                        StoredAnswer(bytes)?.response(id)
                            ?? .problem(Problem(.internal, "The kept answer is damaged."), id))
                case .success(.refused(.answered(let response))): once.send(response)
                case .success(.refused(.unanswered)):
                    once.send(.problem(Problem(.internal, "The write has no answer."), id))
                case .success(.refused(.barred(let error))): refuse(error)
                case .success(.refused(.conflict(let revision))):
                    refuse(.revisionConflict(revision))
                case .failure(let error): refuse(error)
                }
            })
    }

    /// Reads a jar for a dry run, on the same conditions.
    func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        base.read(address) { [expected] result in
            completion(
                result.flatMap { snapshot in
                    guard expected?.isMet(by: snapshot.state) ?? true else {
                        return .failure(.revisionConflict(snapshot.state.revision))
                    }
                    return .success(snapshot)
                })
        }
    }

    // MARK: What has no conditions

    var commits: CommitWatchers { base.commits }

    func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {
        base.observeUnfinishedRules(observer)
    }

    func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        base.cachedSnapshot(tenant: tenant, jar: jar)
    }

    func write<Failure: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Failure>,
        completion: @escaping @Sendable (Result<OnceAnswer<Failure>, JarStorageError>) -> Void
    ) {
        base.write(address, once: key, operation: operation, completion: completion)
    }

    func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        base.jars(of: tenant, after: after, limit: limit, completion: completion)
    }

    func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        base.changes(of: address, since: since, limit: limit, completion: completion)
    }

    func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? {
        base.cachedTenant(tenant)
    }

    func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        base.readTenant(tenant, completion: completion)
    }

    func writeTenant<Answer: Sendable>(
        _ tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        base.writeTenant(
            tenant,
            operation: { [bar] draft -> Result<Answer, JarStorageError> in
                bar().map { .failure($0) } ?? .success(operation(&draft))
            },
            completion: { result in
                completion(
                    result.flatMap { committed in
                        committed.answer.map {
                            CommittedTenant(answer: $0, state: committed.state)
                        }
                    })
            })
    }

    func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        base.usage(of: tenant, completion: completion)
    }

    func deleteTenant(
        _ tenant: TenantID, completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        base.deleteTenant(tenant, completion: completion)
    }

    func health() -> [StorageFault] { base.health() }

    func close() { base.close() }
}
