// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// What a completion leaves for the thread that waits for it.
///
/// `@unchecked Sendable`: the result is read and written with the lock held.
final class Slot<Value: Sendable>: @unchecked Sendable {
    private let condition = Condition()
    private var result: Result<Value, JarStorageError>?

    func fill(_ result: Result<Value, JarStorageError>) {
        condition.withLock {
            self.result = result
            condition.signal()
        }
    }

    func wait() -> Result<Value, JarStorageError> {
        condition.withLock {
            while true {
                if let result { return result }
                condition.wait(until: nil)
            }
        }
    }
}
