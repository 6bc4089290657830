// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

extension TenantWriter {
    private static let rowsPerStep: Int64 = 500

    /// Begins a new key when it is time, and seals some of what older ones have sealed.
    func tendKeys(_ now: Timestamp) throws(JarStorageError) {
        guard let database = try openDatabase(), context.ballast.isHeld else { return }
        if database.sealing.isBehind || database.sealing.isDue(now) {
            try updateKeys(of: database, at: now)
        }
        if database.sealing.hasWork { _ = try reseal() }
    }

    /// Seals some more values with the key in use, and destroys the keys before it when nothing needs them.
    ///
    /// What was stored as it is must be nowhere any more by then: the log is cut off, and the copies from before
    /// migrations go.
    func reseal() throws(JarStorageError) -> ResealStep {
        guard let database = try openDatabase() else { return .done }
        guard context.ballast.isHeld else { throw .full }
        if database.sealing.isBehind { try updateKeys(of: database, at: .wallClock) }
        guard database.sealing.hasWork else { return .done }
        do {
            guard try database.reseal(limit: Self.rowsPerStep) else { return .more }
            guard database.resealing.unreadable == 0 else { return .unreadable }
            try database.renewLog()
            try folder.removeCopies()
            try database.completeKeys()
            return .done
        } catch let error as TransactionError {
            fail(error.cause, "seal values")
            throw error.cause.storageError
        } catch let error as SQLiteError {
            fail(error, "seal values")
            throw error.storageError
        } catch let error as FileError {
            throw error.storageError
        } catch {
            throw .unavailable
        }
    }
}
