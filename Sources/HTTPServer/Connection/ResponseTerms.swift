// SPDX-License-Identifier: Apache-2.0

/// What a request says about the form of its answer; all that has to be remembered of it while the answer is pending.
struct ResponseTerms: Equatable, Sendable {
    /// HEAD: no content.
    var isHead = false
    /// HTTP/1.0: no chunks, and the connection closes unless it is said to stay.
    var isLegacy = false
    /// Whether the client wants the connection to stay.
    var keepsAlive = false
    /// Whether the client takes gzip.
    var acceptsGzip = false

    /// The terms for a client whose request could not be read.
    static let unknown = ResponseTerms()

    private init() {}

    init(_ head: RequestHead) {
        isHead = head.method == .head
        isLegacy = head.isLegacy
        keepsAlive = head.keepsAlive
        acceptsGzip = head.acceptsGzip
    }
}
