// SPDX-License-Identifier: Apache-2.0

/// Waits until a condition holds, looking often; false when it does not within the time.
public func eventually(
    _ milliseconds: Int = 30_000, _ condition: () throws -> Bool
) async throws -> Bool {
    let deadline = ContinuousClock.now + .milliseconds(milliseconds)
    while ContinuousClock.now < deadline {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(2))
    }
    return try condition()
}
