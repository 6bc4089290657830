// SPDX-License-Identifier: Apache-2.0

// The rows of the settings table that are limits and time-outs of requests.
extension Setting {
    // MARK: Connections

    static let connections = Setting(
        "connections", .number(1...1_000_000), default: "12000",
        "Connections at once; never more than the process's descriptors allow.")
    static let connectionsPerAddress = Setting(
        "connections-per-address", .number(1...1_000_000), default: "256",
        "Connections at once from one address.")
    static let backlog = Setting(
        "backlog", .number(1...65_535), default: "1024",
        "Connections that may wait to be accepted.")
    static let pipelineDepth = Setting(
        "pipeline-depth", .number(1...1_024), default: "16",
        "Requests of one connection that are worked on before it is read again.")

    static let streamBufferBytes = Setting(
        "stream-buffer-bytes", .bytes((4 << 10)...(16 << 20)), default: "256KiB",
        "How much of a streamed answer may wait for its client.")
    static let compression = Setting(
        "compression", .flag, default: "true",
        "Whether answers are gzip-coded for clients that accept it.")

    // MARK: Callers

    static let failedLogins = Setting(
        "failed-logins-per-minute", .number(1...10_000), default: "10",
        "Tokens that are not valid, from one address in a minute; beyond them the answer is 429.")
    static let tokenRate = Setting(
        "token-requests-per-second", .number(1...1_000_000), default: nil, or: "any number",
        "Requests of a token that has no limit of its own; beyond them the answer is 429.")
    static let tenantRate = Setting(
        "tenant-requests-per-second", .number(1...1_000_000), default: nil, or: "any number",
        "Requests of all tokens of a tenant that has no limit of its own; beyond them the answer is 429."
    )

    static let auditLevel = Setting(
        "audit", .choice(["actions", "full"]), default: "actions",
        "What the audit log has: what is done to tenants, tokens and settings, or every write and every read of values too."
    )
    static let auditLog = Setting(
        "audit-log", .path, default: nil, or: "`audit.log` in data-dir",
        "Where the audit log is written. While it cannot be, what would be in it is refused with 503."
    )
    static let auditBytes = Setting(
        "audit-log-bytes", .bytes((64 << 10)...(8 << 30)), default: "64MiB",
        "How large the audit log becomes before it is renamed and the next one begun.")

    // MARK: Sizes

    static let requestLineBytes = Setting(
        "request-line-bytes", .bytes(1_024...(16 << 10)), default: "8KiB",
        "Longest request line; beyond it the answer is 414.")
    static let headerBytes = Setting(
        "header-bytes", .bytes(1_024...(256 << 10)), default: "32KiB",
        "All header fields of a request together, trailers included; beyond it the answer is 431.")
    static let headerFields = Setting(
        "header-fields", .number(8...1_000), default: "100",
        "Most header fields; beyond them the answer is 431.")
    static let headerFieldBytes = Setting(
        "header-field-bytes", .bytes(256...(64 << 10)), default: "16KiB",
        "Largest header field; beyond it the answer is 431.")
    static let chunkLineBytes = Setting(
        "chunk-line-bytes", .bytes(32...(4 << 10)), default: "256",
        "Longest size line of a chunk; beyond it the answer is 400.")
    static let bodyBytes = Setting(
        "body-bytes", .bytes(1_024...(8 << 20)), default: "1MiB",
        "Largest JSON body, decoded; beyond it the answer is 413.")
    static let messageBytes = Setting(
        "message-bytes", .bytes(1_024...(1 << 30)), default: "64MiB",
        "Largest `message/http` body, decoded; beyond it the answer is 413.")
    static let importBytes = Setting(
        "import-bytes", .bytes(1_024...(1 << 30)), default: "64MiB",
        "Largest file to import, decoded; beyond it the answer is 413. It is read as it comes, not held."
    )
    static let bodyMemory = Setting(
        "body-memory", .bytes((64 << 10)...(8 << 30)), default: "64MiB",
        "Memory for the request bodies of all connections together; beyond it the answer is 503.")
    static let inflationRatio = Setting(
        "inflation-ratio", .number(1...1_000), default: "100",
        "How many times its size a gzip-coded body may become after its first 64 KiB; beyond it the answer is 413."
    )

    // MARK: Time-outs

    static let headerTimeout = Setting(
        "header-timeout", .duration(10...60_000), default: "10s",
        "For the whole head of a request, from its first octet.")
    static let bodyTimeout = Setting(
        "body-timeout", .duration(10...300_000), default: "30s",
        "For the next piece of a request's body.")
    static let bodyGrace = Setting(
        "body-grace", .duration(10...60_000), default: "5s",
        "How long a body may come more slowly than `body-rate`.")
    static let bodyRate = Setting(
        "body-rate", .bytes(1...(1 << 30)), default: "1000",
        "Octets per second that a body must keep up on average, after `body-grace`.")
    static let idleTimeout = Setting(
        "idle-timeout", .duration(10...3_600_000), default: "60s",
        "For a connection between two requests.")
    static let handlerTimeout = Setting(
        "handler-timeout", .duration(10...120_000), default: "15s",
        "For an answer that waits for the disk; then it is 503.")
    static let responseTimeout = Setting(
        "response-timeout", .duration(10...300_000), default: "30s",
        "For a peer that takes nothing of its answer.")
    static let lingerTimeout = Setting(
        "linger-timeout", .duration(10...10_000), default: "1s",
        "How long a connection is still read from after its last answer, so that the answer arrives."
    )
    static let drainTimeout = Setting(
        "drain-timeout", .duration(0...60_000), default: "10s",
        "For requests under way after SIGTERM; then their connections are closed. Rounded up to whole seconds."
    )
}
