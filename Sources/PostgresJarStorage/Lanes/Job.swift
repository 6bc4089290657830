// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// A call that waits for a lane.
struct Job: Sendable {
    /// Takes what came of a call; called once.
    typealias Completion<Value> = @Sendable (Result<Value, JarStorageError>) -> Void
    /// Works on a draft, and answers with what to call when that is durable.
    typealias Operation = @Sendable (inout JarDraft) -> Completion<JarSnapshot>

    /// The same, with the answer that is to be kept, if one is.
    typealias OnceOperation =
        @Sendable (inout JarDraft) -> (kept: [UInt8]?, complete: Completion<JarSnapshot>)
    typealias TenantOperation = @Sendable (inout TenantDraft) -> Completion<TenantState>
    typealias CatalogueOperation = @Sendable (inout CatalogueDraft) -> Completion<Void>

    /// What only one lane at a time may write to.
    enum Claim: Hashable, Sendable {
        case jar(JarAddress)
        /// The tenant's records; the writes to its jars that came later wait as well, as they are to find them.
        case tenant(TenantID)
        /// The catalogue of tenants and tokens.
        case catalogue
    }

    enum Kind: Sendable {
        case read(JarAddress, Completion<JarSnapshot>)
        case write(JarAddress, Operation, refuse: @Sendable (JarStorageError) -> Void)
        /// Runs an operation, unless an answer is kept for its key.
        case writeOnce(JarAddress, WriteKey, OnceOperation, replay: Completion<[UInt8]>)
        case readTenant(TenantID, Completion<TenantState>)
        case writeTenant(TenantID, TenantOperation, refuse: @Sendable (JarStorageError) -> Void)
        case readCatalogue(Completion<CatalogueState>)
        case writeCatalogue(CatalogueOperation, refuse: @Sendable (JarStorageError) -> Void)
        /// One statement that only reads, or that is a transaction of its own; what it gives is used before
        /// the completion returns.
        case query(Request, Completion<QueryResult>)
    }

    let kind: Kind
    let arrival = MonotonicTime.now
    /// Whether it was begun before on a connection that went away.
    private(set) var isRepeated = false

    init(_ kind: Kind) { self.kind = kind }

    /// The same once more; nil when it has been repeated already.
    var repeated: Job? {
        guard !isRepeated else { return nil }
        var job = self
        job.isRepeated = true
        return job
    }

    /// What no other lane may write to meanwhile.
    var claim: Claim? {
        switch kind {
        case .write(let address, _, _), .writeOnce(let address, _, _, _): .jar(address)
        case .writeTenant(let tenant, _, _): .tenant(tenant)
        case .writeCatalogue: .catalogue
        case .read, .readTenant, .readCatalogue, .query: nil
        }
    }

    /// Completes the call with an error.
    func refuse(_ error: JarStorageError) {
        switch kind {
        case .read(_, let completion): completion(.failure(error))
        case .write(_, _, let refuse): refuse(error)
        case .writeOnce(_, _, _, let replay): replay(.failure(error))
        case .readTenant(_, let completion): completion(.failure(error))
        case .writeTenant(_, _, let refuse): refuse(error)
        case .readCatalogue(let completion): completion(.failure(error))
        case .writeCatalogue(_, let refuse): refuse(error)
        case .query(_, let completion): completion(.failure(error))
        }
    }
}

/// A statement with its parameters, for the rows of one tenant.
struct Request: Sendable {
    /// The tenant whose rows it may see; nil for what is no tenant's.
    let tenant: TenantID?
    let statement: Statement
    let parameters: Parameters

    init(
        _ statement: Statement, of tenant: TenantID?, _ build: (inout Parameters) -> Void = { _ in }
    ) {
        self.tenant = tenant
        self.statement = statement
        var parameters = Parameters()
        build(&parameters)
        self.parameters = parameters
    }
}
