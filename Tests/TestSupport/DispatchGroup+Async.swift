// SPDX-License-Identifier: Apache-2.0

public import Dispatch

extension DispatchGroup {
    /// Waits until everything has left.
    public func finish() async {
        await withCheckedContinuation { continuation in
            notify(queue: .global()) { continuation.resume() }
        }
    }
}
