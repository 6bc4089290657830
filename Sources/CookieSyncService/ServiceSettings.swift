// SPDX-License-Identifier: Apache-2.0

/// What an operator can set about the service.
public struct ServiceSettings: Sendable {
    /// The token that every request but the probes and `/openapi.yaml` needs; nil leaves the
    /// service open to whoever reaches it on loopback.
    ///
    /// Never logged.
    public var adminToken: [UInt8]?
    /// The largest JSON body, in octets after decoding.
    public var maximumBodyBytes = 1 << 20
    /// The largest `message/http` body, in octets after decoding.
    public var maximumMessageBytes = 8 << 20
    /// The largest file to import, in octets after decoding.
    public var maximumImportBytes = 64 << 20

    /// For how many seconds the answer to a call with an `Idempotency-Key` is kept.
    public var idempotencySeconds = 86_400
    /// Those that follow changes.
    public var feed = FeedSettings()

    /// The defaults: open, with the limits of the specification.
    public init(adminToken: [UInt8]? = nil) {
        self.adminToken = adminToken
    }
}
