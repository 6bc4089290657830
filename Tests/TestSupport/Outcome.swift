// SPDX-License-Identifier: Apache-2.0

import Locks

/// Awaits what a completion is called with.
///
/// The value goes through a lock: ThreadSanitizer sees the order that a lock makes, not always that of a continuation.
func outcome<Value: Sendable, Failure: Error>(
    _ begin: (@escaping @Sendable (Result<Value, Failure>) -> Void) -> Void
) async throws -> Value {
    let slot = Slot<Result<Value, Failure>>()
    await withCheckedContinuation { continuation in
        begin {
            slot.fill($0)
            continuation.resume()
        }
    }
    return try slot.wait().get()
}
