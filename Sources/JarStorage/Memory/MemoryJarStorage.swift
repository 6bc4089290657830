// SPDX-License-Identifier: Apache-2.0

private import Cookies
private import Dispatch
private import Locks

/// The reference engine: everything in memory, nothing durable.
///
/// The other engines are held against it.
public final class MemoryJarStorage: JarStorage {
    /// A jar with everything that ever happened to it.
    private struct Jar: Sendable {
        var snapshot = JarSnapshot.empty
        var changes: [Change] = []
        /// Over the newest state; nil as long as nobody asked for one.
        private var watch: SnapshotWatch?

        mutating func commit(_ after: JarSnapshot, _ new: [Change]) {
            snapshot = after
            changes += new
            endWatch()
        }

        mutating func watched() -> WatchedSnapshot {
            let watch = watch ?? SnapshotWatch()
            self.watch = watch
            return WatchedSnapshot(snapshot, watch)
        }

        mutating func endWatch() {
            watch?.end()
            watch = nil
        }
    }

    /// What a tenant has.
    private struct Tenant: Sendable {
        var jars: [JarID: Jar] = [:]
        var records = TenantState.empty
        var answers: [[UInt8]: (kept: KeptAnswer, expires: Timestamp)] = [:]

        mutating func endWatches() {
            for jar in jars.keys { jars[jar]?.endWatch() }
        }
    }

    /// Who is woken by the commits of which jar.
    public let commits = CommitWatchers()
    private let content = Locked<[TenantID: Tenant]?>([:])
    private let queue = DispatchQueue(label: "memory-jar-storage")

    /// An empty storage.
    public init() {}

    /// The jar's newest state; everything is in memory.
    ///
    /// Complexity: unlike other engines, it allocates.
    public func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot? {
        guard let tenant = TenantID(tenant), let jar = JarID(jar) else { return nil }
        return content.withLock { $0?[tenant]?.jars[jar]?.snapshot }
    }

    /// The jar's newest state with a watch over it.
    public func watchedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot? {
        guard let tenant = TenantID(tenant), let jar = JarID(jar) else { return nil }
        return content.withLock { $0?[tenant]?.jars[jar]?.watched() }
    }

    /// Hands the jar's newest state over.
    public func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void
    ) {
        queue.async { [self] in completion(state(address).map(\.0)) }
    }

    /// Runs the operation and publishes what it changed.
    public func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void
    ) {
        queue.async { [self] in
            let (before, tenant): (JarSnapshot, TenantState)
            switch state(address) {
            case .success(let state): (before, tenant) = state
            case .failure(let error): return refuse(error)
            }
            var draft = JarDraft(before.state, tenant: tenant)
            let completion = operation(&draft)
            guard !draft.changes.isEmpty else { return completion(.success(before)) }
            let after = JarSnapshot(draft.state)
            content.withLock {
                $0?[address.tenant, default: Tenant()].jars[address.jar, default: Jar()]
                    .commit(after, draft.changes)
            }
            completion(.success(after))
            commits.ring(address, after.state.revision)
        }
    }

    /// Runs the operation, unless there is an answer for the key, and keeps its own.
    public func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            let (before, tenant): (JarSnapshot, TenantState)
            switch state(address) {
            case .success(let state): (before, tenant) = state
            case .failure(let error): return completion(.failure(error))
            }
            if let (kept, expires) = content.withLock({ $0?[address.tenant]?.answers[key.key] }),
                expires > key.at
            {
                return completion(kept.result(for: key).map { .answered($0) })
            }
            var draft = JarDraft(before.state, tenant: tenant)
            switch operation(&draft) {
            case .failure(let refusal): completion(.success(.refused(refusal)))
            case .success(let body):
                let kept = KeptAnswer(fingerprint: key.fingerprint, body: body)
                let after = JarSnapshot(draft.state)
                content.withLock {
                    $0?[address.tenant, default: Tenant()].answers[key.key] = (kept, key.expires)
                    guard !draft.changes.isEmpty else { return }
                    $0?[address.tenant, default: Tenant()].jars[address.jar, default: Jar()]
                        .commit(after, draft.changes)
                }
                completion(.success(.answered(body)))
                if !draft.changes.isEmpty { commits.ring(address, after.state.revision) }
            }
        }
    }

    /// One page of the tenant's jars.
    public func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            guard let jars = content.withLock({ $0.map { $0[tenant]?.jars ?? [:] } }) else {
                return completion(.failure(.unavailable))
            }
            let page = jars.filter { name, jar in
                jar.snapshot.state.isPresent && (after.map { $0 < name } ?? true)
            }
            .map { JarSummary(jar: $0.key, revision: $0.value.snapshot.state.revision) }
            .sorted { $0.jar < $1.jar }
            completion(.success(Array(page.prefix(max(0, limit)))))
        }
    }

    /// The changes after a revision; it has all of them.
    public func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            guard let jars = content.withLock({ $0.map { $0[address.tenant]?.jars ?? [:] } }) else {
                return completion(.failure(.unavailable))
            }
            let jar = jars[address.jar] ?? Jar()
            let changes = jar.changes.drop { $0.revision <= since }.prefix(max(0, limit))
            completion(
                .success(
                    ChangePage(
                        changes: Array(changes), floor: .zero,
                        newest: jar.snapshot.state.revision)))
        }
    }

    /// The tenant's records; everything is in memory.
    ///
    /// Complexity: unlike other engines, it allocates.
    public func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState? {
        guard let tenant = TenantID(tenant) else { return nil }
        return content.withLock { $0.map { $0[tenant]?.records ?? .empty } }
    }

    /// Hands the tenant's records over.
    public func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void
    ) {
        queue.async { [self] in completion(records(of: tenant)) }
    }

    /// Runs the operation on the tenant's records and publishes what it changed.
    public func writeTenant<Answer: Sendable>(
        _ tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            completion(
                records(of: tenant).map { before in
                    var draft = TenantDraft(before)
                    let answer = operation(&draft)
                    let after = draft.state
                    if !draft.changes.isEmpty {
                        content.withLock { $0?[tenant, default: Tenant()].records = after }
                    }
                    return CommittedTenant(answer: answer, state: after)
                })
        }
    }

    /// Nothing outlives a start.
    public func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void) {}

    /// How many jars the tenant has, and about how many octets their states take.
    public func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            guard let known = content.withLock({ $0.map { $0[tenant] } }) else {
                return completion(.failure(.unavailable))
            }
            let states = known?.jars.values.map(\.snapshot.state)
            completion(
                .success(
                    states.map { states in
                        TenantUsage(
                            jars: states.count { $0.isPresent },
                            bytes: states.reduce(0) { $0 + $1.footprint })
                    }))
        }
    }

    /// Forgets the tenant.
    public func deleteTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void
    ) {
        queue.async { [self] in
            let isOpen = content.withLock { tenants in
                tenants?[tenant]?.endWatches()
                tenants?[tenant] = nil
                return tenants != nil
            }
            completion(isOpen ? .success(()) : .failure(.unavailable))
        }
    }

    /// Nothing can go wrong with it.
    public func health() -> [StorageFault] { [] }

    /// Finishes what has queued and forgets everything.
    public func close() {
        queue.sync {
            content.withLock { tenants in
                for tenant in tenants.map({ Array($0.keys) }) ?? [] {
                    tenants?[tenant]?.endWatches()
                }
                tenants = nil
            }
        }
    }

    private func state(
        _ address: JarAddress
    ) -> Result<(JarSnapshot, TenantState), JarStorageError> {
        content.withLock { tenants in
            guard let tenants else { return .failure(.unavailable) }
            let tenant = tenants[address.tenant] ?? Tenant()
            return .success((tenant.jars[address.jar]?.snapshot ?? .empty, tenant.records))
        }
    }

    private func records(of tenant: TenantID) -> Result<TenantState, JarStorageError> {
        content.withLock { tenants in
            guard let tenants else { return .failure(.unavailable) }
            return .success(tenants[tenant]?.records ?? .empty)
        }
    }
}
