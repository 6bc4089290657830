// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A running service on a free port.
struct Service {
    static let publicSuffixList = "/usr/share/publicsuffix/public_suffix_list.dat"

    let process: ChildProcess
    let port: UInt16

    /// Starts `serve` on a data directory and waits until it listens.
    init(data: String, arguments: [String] = []) throws {
        process = try ChildProcess(
            ["serve", "--port", "0", "--data-dir", data, "--log-format", "json"] + arguments)
        let line = try process.output.line(containing: #""event":"listen""#)
        let digits = line.split(separator: #""port":"#).last?.prefix { $0.isNumber } ?? ""
        port = try #require(UInt16(digits))
    }

    func client() throws -> RawHTTPClient { try RawHTTPClient(port: port) }

    /// The store that the tests use.
    static let store = "/v1/tenants/acme/jars/alice/stores/native"

    /// Stores one cookie of https://www.example.com/ and waits for the acknowledgement.
    func ingest(_ cookie: String) throws -> RawResponse {
        try client().request(
            "POST", "\(Self.store)/ingest",
            body: #"{"url":"https://www.example.com/","headers":[["Set-Cookie","\#(cookie)"]]}"#)
    }

    /// The header value that https://www.example.com/ gets.
    func cookieHeader() throws -> RawResponse {
        try client().request(
            "GET", "\(Self.store)/cookie-header?url=https%3A%2F%2Fwww.example.com%2F",
            fields: ["Accept": "text/plain"])
    }
}
