// SPDX-License-Identifier: Apache-2.0

/// Decides whether an answer is gzip-coded: by what the request accepts and by the size alone, so that a handler can know
/// before it makes the answer's `ETag`.
struct CodingPolicy: Equatable, Sendable {
    private let minimumBytes: Int

    /// Nothing is compressed.
    static let never = CodingPolicy(minimumBytes: Int.max)

    /// Whatever has so many octets is compressed.
    init(minimumBytes: Int) {
        self.minimumBytes = minimumBytes
    }

    func compresses(_ bodyCount: Int) -> Bool {
        bodyCount >= minimumBytes
    }
}
