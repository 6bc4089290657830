// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient
internal import CookieSyncWire

/// Prints the `Cookie` header of a request; nothing where no cookie goes to the URL.
enum Get {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let given = try VerbArguments(
            arguments, options: ["method", "origin-host"], switches: ["json"])
        let url = try given.operand("a URL")
        let method = given.option("method") ?? "GET"
        let originHost = given.option("origin-host")
        let header = try RemoteStore.call(given.settings) { store async throws(ClientError) in
            try await store.cookieHeader(for: url, method: method, originHost: originHost)
        }
        if given.has("json") { return try Terminal.write(header) }
        guard header.count > 0 else { return }
        try Terminal.write(header.cookie.bytes + [UInt8(ascii: "\n")])
    }
}
