// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A copy of one tenant's database under way: the writer goes on with it after each of its rounds, so that no call
/// waits for more than one step.
final class TenantCopy {
    /// 1 MiB of pages: below a millisecond of work where the pages are in memory.
    private static let pagesPerStep: Int32 = 256

    private let backup: OnlineBackup
    private let completion: Job.Completion<Int64>

    /// Begins a copy into a file that exists and is empty.
    init(
        of database: TenantDatabase, to path: String, _ completion: @escaping Job.Completion<Int64>
    ) throws(SQLiteError) {
        backup = try OnlineBackup(of: database.connection, to: path)
        self.completion = completion
    }

    /// Copies some more; true when there is nothing left to do, for good or ill.
    func goOn(_ database: TenantDatabase) -> Bool {
        do {
            guard try backup.step(pages: Self.pagesPerStep) else { return false }
            try backup.close()
            completion(.success(database.lastSequence))
        } catch {
            completion(.failure(error.storageError))
        }
        return true
    }

    /// Gives up.
    func abandon() { completion(.failure(.unavailable)) }
}
