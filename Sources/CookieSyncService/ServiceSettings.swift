// SPDX-License-Identifier: Apache-2.0

/// What an operator can set about the service.
public struct ServiceSettings: Sendable {
    /// The token that every request but the probes and `/openapi.yaml` needs; nil leaves the
    /// service open to whoever reaches it on loopback.
    ///
    /// Never logged.
    public var adminToken: [UInt8]?
    /// Whether the audit log has writes and reads of cookies too, and not only what is done to tenants, tokens and settings.
    public var auditsEverything = false
    /// How many tokens that are not valid an address may send in a minute before it is told to wait.
    public var failedLoginsPerMinute = 10
    /// How many requests in a second each token may make that has no limit of its own; nil for any number.
    public var tokenRequestsPerSecond: Int?
    /// How many requests in a second the tokens of a tenant without a limit of its own may make together; nil for any
    /// number.
    public var tenantRequestsPerSecond: Int?
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
