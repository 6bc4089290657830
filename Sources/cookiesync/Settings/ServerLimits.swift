// SPDX-License-Identifier: Apache-2.0

// The rows of the settings table that are limits and time-outs of the HTTP server.
extension Setting {
    // MARK: Connections

    static let connections = Setting(
        "connections", .number(1...1_000_000), default: "12000",
        "Connections at once; never more than the process's descriptors allow.")
    static let connectionsPerAddress = Setting(
        "connections-per-address", .number(1...1_000_000), default: "256",
        "Connections at once from one address.")
    static let requestsPerConnection = Setting(
        "requests-per-connection", .number(0...1_000_000_000), default: "0",
        "Requests after which a connection is closed; 0 is never.")
    static let backlog = Setting(
        "backlog", .number(1...65_535), default: "1024",
        "Connections that may wait to be accepted.")
    static let pipelineDepth = Setting(
        "pipeline-depth", .number(1...1_024), default: "16",
        "Requests of one connection that are worked on before it is read again.")

    // MARK: Sizes

    static let requestLineBytes = Setting(
        "request-line-bytes", .bytes(8_000...(16 << 10)), default: "8KiB",
        "Longest request line; beyond it the answer is 414.")
    static let headerBytes = Setting(
        "header-bytes", .bytes(1_024...(64 << 10)), default: "32KiB",
        "Largest header section; beyond it the answer is 431.")
    static let headerFields = Setting(
        "header-fields", .number(8...1_000), default: "100",
        "Most header fields; beyond them the answer is 431.")
    static let headerFieldBytes = Setting(
        "header-field-bytes", .bytes(512...(64 << 10)), default: "16KiB",
        "Largest header field; beyond it the answer is 431.")
    static let bodyBytes = Setting(
        "body-bytes", .bytes(1_024...(8 << 20)), default: "1MiB",
        "Largest request body, decoded; beyond it the answer is 413.")

    // MARK: Time-outs

    static let headerTimeout = Setting(
        "header-timeout", .duration(100...60_000), default: "10s",
        "For the whole head of a request, from its first octet.")
    static let bodyTimeout = Setting(
        "body-timeout", .duration(100...600_000), default: "30s",
        "For the whole body of a request.")
    static let idleTimeout = Setting(
        "idle-timeout", .duration(100...3_600_000), default: "60s",
        "For a connection between two requests.")
    static let handlerTimeout = Setting(
        "handler-timeout", .duration(100...60_000), default: "15s",
        "For the answer, once a request has arrived whole.")
    static let responseTimeout = Setting(
        "response-timeout", .duration(100...600_000), default: "30s",
        "For a peer that takes nothing of its answer.")
    static let drainTimeout = Setting(
        "drain-timeout", .duration(0...60_000), default: "10s",
        "For requests under way after SIGTERM; then their connections are closed.")
}
