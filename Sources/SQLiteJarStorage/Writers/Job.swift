// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// What a tenant's writer is asked for.
enum Job: Sendable {
    /// How a call is answered.
    typealias Completion<Value> = @Sendable (Result<Value, JarStorageError>) -> Void

    /// Runs an operation on a draft, and answers how to complete it once it is known what became of the draft.
    typealias Operation = @Sendable (inout JarDraft) -> JarCompletion

    /// The same, with the answer that is to be kept, if one is.
    typealias OnceOperation =
        @Sendable (inout JarDraft) -> (kept: [UInt8]?, complete: Completion<JarSnapshot>)

    /// The same for a draft of the tenant's records.
    typealias TenantOperation = @Sendable (inout TenantDraft) -> Completion<TenantState>

    case write(JarID, Operation, refuse: @Sendable (JarStorageError) -> Void)
    /// Runs an operation, unless an answer is kept for its key.
    case writeOnce(JarID, WriteKey, OnceOperation, replay: Completion<[UInt8]>)
    case read(JarID, Completion<JarSnapshot>)
    case writeTenant(TenantOperation, refuse: @Sendable (JarStorageError) -> Void)
    case readTenant(Completion<TenantState>)
    case list(after: JarID?, limit: Int, Completion<[JarSummary]>)
    case changes(JarID, since: Revision, limit: Int, Completion<ChangePage>)
    /// Tells what the tenant takes.
    case usage(Completion<TenantUsage?>)
    /// Deletes the tenant's files.
    case delete(Completion<Void>)
    /// Copies the database to that file, which exists and is empty; completes with the sequence of the last
    /// change in it.
    case copy(to: String, Completion<Int64>)
    /// Removes expired cookies, about `limit` of them, of the jars that are next, and drops old changes.
    case sweep(now: Timestamp, limit: Int, Completion<SweepStep>)

    /// Seals some more values with the key in use.
    case reseal(Completion<ResealStep>)

    /// Whether it deletes the tenant.
    var isDeletion: Bool {
        if case .delete = self { true } else { false }
    }

    /// Completes the call with a failure, without having done anything.
    func refuse(_ error: JarStorageError) {
        switch self {
        case .write(_, _, let refuse), .writeTenant(_, let refuse): refuse(error)
        case .writeOnce(_, _, _, let replay): replay(.failure(error))
        case .read(_, let completion): completion(.failure(error))
        case .readTenant(let completion): completion(.failure(error))
        case .list(_, _, let completion): completion(.failure(error))
        case .changes(_, _, _, let completion): completion(.failure(error))
        case .usage(let completion): completion(.failure(error))
        case .delete(let completion): completion(.failure(error))
        case .copy(_, let completion): completion(.failure(error))
        case .sweep(_, _, let completion): completion(.failure(error))
        case .reseal(let completion): completion(.failure(error))
        }
    }
}
