// SPDX-License-Identifier: Apache-2.0

/// Decides whether an answer is gzip-coded: by what the request accepts and by its size, so that a handler can know
/// before it has the answer's `ETag`.
struct CodingPolicy: Equatable, Sendable {
    /// Compress from this size on; nil for never.
    private let threshold: Int?

    static let never = CodingPolicy(threshold: nil)

    private init(threshold: Int?) {
        self.threshold = threshold
    }

    init(minimumBytes: Int, requestAcceptsGzip: Bool) {
        threshold = requestAcceptsGzip ? minimumBytes : nil
    }

    func compresses(_ bodyCount: Int) -> Bool {
        guard let threshold else { return false }
        return bodyCount >= threshold
    }
}
