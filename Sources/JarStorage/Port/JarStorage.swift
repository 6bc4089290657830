// SPDX-License-Identifier: Apache-2.0

/// Where jars live: the one thing that differs between SQLite, PostgreSQL and memory.
///
/// Every conformer guarantees, and the suite `JarStorageContract` checks:
///
/// 1. A completion is called exactly once, on a thread of the storage's own, in the order of the commits of
///    its jar; it must return at once. Only the refusal of a call that comes after `close` may reach the
///    caller on its own thread.
/// 2. `write` completes with `success` only after its changes are durable. Nothing is visible before its
///    commit, and a read that begins after the completion sees it.
/// 3. A write is all or nothing. Operations on one jar never interleave, and each sees all earlier ones.
/// 4. An operation that changes nothing (`JarDraft.changes` is empty, or it called `discard()`) raises no
///    revision and touches no disk.
/// 5. A jar that does not exist reads as `JarState.empty`; it comes into being with its first change.
/// 6. No call blocks its caller on I/O.
/// 7. A tenant's records keep promises 1 to 4 as a jar does, and are serialised with the writes of its jars: an
///    operation on a jar finds them in its draft as the writes before it left them.
/// 8. Each commit that changes a jar rings `commits`, once a call of `changes` shows what it changed.
/// 9. A write with a key takes effect once; its answer is kept in its transaction until it expires.
public protocol JarStorage: AnyObject, Sendable {
    /// Who is woken by the commits of which jar.
    var commits: CommitWatchers { get }

    /// The jar as of its newest commit, if it is in memory and known to be current; nil means "use `read`".
    ///
    /// The bytes are raw identifiers as they stand in a request, not yet validated: an identifier that is not
    /// one simply is not in memory. Complexity: O(1), without a heap allocation.
    func cachedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> JarSnapshot?

    /// The same with a watch that tells when the jar is not the newest any more, for what is made of it and kept.
    func watchedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot?

    /// Loads the jar and hands it to the completion.
    func read(
        _ address: JarAddress,
        completion: @escaping @Sendable (Result<JarSnapshot, JarStorageError>) -> Void)

    /// Runs `operation` on a draft of the jar, makes its changes durable, publishes them and calls the completion that
    /// the operation returned with the jar's new state; `refuse` when the operation was not run at all.
    ///
    /// The operation must be pure: a fleet's engine may run it again on a newer state, and calls the last completion.
    /// No answer is told of here, so that no engine is generic over it: `write(_:operation:completion:)` adds it.
    func write(
        _ address: JarAddress, operation: @escaping @Sendable (inout JarDraft) -> JarCompletion,
        refuse: @escaping @Sendable (JarStorageError) -> Void)

    /// Runs `operation` as `write` does, unless a write of the tenant with this key took effect before and its answer has
    /// not expired: then completes with that answer.
    ///
    /// The answer is kept in the transaction of the changes, also when there are none. Fails with `keyReused` when the
    /// fingerprints differ. Of calls with one key that come at the same time, one runs. An operation that refuses has
    /// changed nothing, and leaves the key unused.
    func write<Refusal: Error>(
        _ address: JarAddress, once key: WriteKey,
        operation: @escaping @Sendable (inout JarDraft) -> Result<[UInt8], Refusal>,
        completion: @escaping @Sendable (Result<OnceAnswer<Refusal>, JarStorageError>) -> Void)

    /// One page of the tenant's jars in the order of their names' bytes; `after` is the last name of the page
    /// before. Jars that were deleted are not listed.
    func jars(
        of tenant: TenantID, after: JarID?, limit: Int,
        completion: @escaping @Sendable (Result<[JarSummary], JarStorageError>) -> Void)

    /// At most `limit` changes of the jar that came after `since`, oldest first, silent ones included.
    ///
    /// What it shows is durable. No changes when `since` lies below the page's floor or above its newest revision.
    func changes(
        of address: JarAddress, since: Revision, limit: Int,
        completion: @escaping @Sendable (Result<ChangePage, JarStorageError>) -> Void)

    /// The tenant's records as of their newest commit, if they are in memory and known to be current; nil means
    /// "use `readTenant`".
    ///
    /// The bytes are a raw identifier as it stands in a request. Complexity: O(1), without a heap allocation.
    func cachedTenant(_ tenant: UnsafeBufferPointer<UInt8>) -> TenantState?

    /// Loads the tenant's records and hands them to the completion; a tenant that nobody has written to has none.
    func readTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantState, JarStorageError>) -> Void)

    /// Runs `operation` on a draft of the tenant's records, makes its changes durable, publishes them and completes
    /// with the operation's answer and the records' new state.
    ///
    /// The operation must be pure: a fleet's engine may run it again on a newer state.
    func writeTenant<Answer: Sendable>(
        _ tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) -> Answer,
        completion: @escaping @Sendable (Result<CommittedTenant<Answer>, JarStorageError>) -> Void)

    /// Has `observer` told of each tenant with a rule that is still to be applied to jars from before it, when the engine
    /// comes upon it while it goes round the tenants.
    ///
    /// An engine that does not open tenants one by one tells of none; the next request for the rules goes on with them.
    /// The observer must return at once.
    func observeUnfinishedRules(_ observer: @escaping @Sendable (TenantID) -> Void)

    /// What the tenant takes, or nil when it has no data.
    func usage(
        of tenant: TenantID,
        completion: @escaping @Sendable (Result<TenantUsage?, JarStorageError>) -> Void)

    /// Deletes everything of the tenant, durably, and completes; a tenant without data is no failure.
    ///
    /// Calls for the tenant that were made before take effect before; later ones find nothing, and may make it anew.
    func deleteTenant(
        _ tenant: TenantID,
        completion: @escaping @Sendable (Result<Void, JarStorageError>) -> Void)

    /// Whether writes can be taken now: nil, or what is wrong, for readiness.
    func health() -> [StorageFault]

    /// Finishes what has queued, closes every file, and refuses all later calls with `unavailable`.
    func close()
}

/// What is called once it is known what became of a draft.
public typealias JarCompletion = @Sendable (Result<JarSnapshot, JarStorageError>) -> Void

extension JarStorage {
    /// Runs `operation` on a draft of the jar, makes its changes durable, publishes them and completes with the
    /// operation's answer and the jar's new state.
    public func write<Answer: Sendable>(
        _ address: JarAddress,
        operation: @escaping @Sendable (inout JarDraft) -> Answer,
        completion: @escaping @Sendable (Result<Committed<Answer>, JarStorageError>) -> Void
    ) {
        write(
            address,
            operation: { draft in
                let answer = operation(&draft)
                return { result in
                    completion(result.map { Committed(answer: answer, snapshot: $0) })
                }
            },
            refuse: { completion(.failure($0)) })
    }
}

/// The answer of a write with the state that it left behind.
public struct Committed<Answer: Sendable>: Sendable {
    /// What the operation returned.
    public let answer: Answer
    /// The jar after this very write, even when later ones were committed together with it.
    public let snapshot: JarSnapshot

    /// A committed write.
    public init(answer: Answer, snapshot: JarSnapshot) {
        self.answer = answer
        self.snapshot = snapshot
    }
}

/// The answer of a write to a tenant's records with the state that it left behind.
public struct CommittedTenant<Answer: Sendable>: Sendable {
    /// What the operation returned.
    public let answer: Answer
    /// The records after this very write.
    public let state: TenantState

    /// A committed write.
    public init(answer: Answer, state: TenantState) {
        self.answer = answer
        self.state = state
    }
}

/// A line of the list of jars.
public struct JarSummary: Hashable, Sendable {
    /// The jar's name.
    public let jar: JarID
    /// Its current revision.
    public let revision: Revision

    /// A line of the list.
    public init(jar: JarID, revision: Revision) {
        self.jar = jar
        self.revision = revision
    }
}

/// What a tenant takes.
public struct TenantUsage: Hashable, Sendable {
    /// How many jars it has, those that were deleted left out.
    public let jars: Int
    /// How many octets its data take on disk.
    public let bytes: Int

    /// What a tenant takes.
    public init(jars: Int, bytes: Int) {
        self.jars = jars
        self.bytes = bytes
    }
}

/// Something that keeps a tenant, or the whole storage, from taking writes.
public struct StorageFault: Hashable, Sendable {
    /// A stable word such as `storage-corrupt`, `read-only`, `queue-full`.
    public let code: String
    /// The tenant it is limited to; nil when it concerns all.
    public let tenant: TenantID?

    /// A fault.
    public init(code: String, tenant: TenantID?) {
        self.code = code
        self.tenant = tenant
    }
}
