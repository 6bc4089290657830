// SPDX-License-Identifier: Apache-2.0

/// What a completion leaves for a thread that waits for it.
///
/// `@unchecked Sendable`: the value is read and written with the lock held.
public final class Slot<Value: Sendable>: @unchecked Sendable {
    private let condition = Condition()
    private var value: Value?

    /// An empty slot.
    public init() {}

    /// Leaves the value, once.
    public func fill(_ value: Value) {
        condition.withLock {
            self.value = value
            condition.signal()
        }
    }

    /// Waits for the value.
    ///
    /// For threads of one's own: never on an event loop or a queue that others need.
    public func wait() -> Value {
        condition.withLock {
            while true {
                if let value { return value }
                condition.wait(until: nil)
            }
        }
    }
}
