// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient
internal import CookieSyncWire

/// Stores the cookies of a response, given as its raw head: what `curl -i` prints.
enum Ingest {
    /// A head is far smaller; the content that may follow it is not needed.
    private static let keptBytes = 1 << 20

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let given = try VerbArguments(
            arguments, options: ["url", "origin-host"], switches: ["json"])
        let path = try given.operand("a file with a response's head, or - for the standard input,")
        guard let url = given.option("url") else {
            throw Failure(.usage, "--url: the URL that answered is needed")
        }
        let originHost = given.option("origin-host")
        let head = try Terminal.read(path, keeping: keptBytes)
        let answer = try RemoteStore.call(given.settings) { store async throws(ClientError) in
            try await store.handleResponse(from: url, head: head, originHost: originHost)
        }
        if given.has("json") { return try Terminal.write(answer) }
        for verdict in answer.results {
            let reason = verdict.reason.map { ": \($0)" } ?? ""
            try Terminal.write(
                line: "\(verdict.outcome) \(Terminal.printable(verdict.name))\(reason)")
        }
    }
}
