// SPDX-License-Identifier: Apache-2.0

/// The API of a cookiesync service.
///
/// A value without state: it may be copied, kept and used from anywhere. Cookies are read by the service alone; what a
/// caller has to do is to hand every response to `StoreClient.handleResponse` and to ask `StoreClient.cookieHeader` before
/// every request.
public struct CookieSyncClient: Sendable {
    private let caller: Caller

    /// A client.
    ///
    /// - Parameters:
    ///   - server: Where the service is.
    ///   - token: What it wants to see; nil for an open one.
    ///   - transport: What carries the requests.
    ///   - retry: When a call is made again.
    ///   - timeoutSeconds: How many seconds may go by without a sign from the service.
    public init(
        server: ServerAddress, token: ClientToken? = nil, transport: any Transport,
        retry: RetryPolicy = RetryPolicy(), timeoutSeconds: Int = 30
    ) {
        caller = Caller(
            server: server, token: token, transport: transport, retry: retry,
            timeoutSeconds: timeoutSeconds)
    }

    /// A jar: one login identity.
    ///
    /// It comes into being with the first write.
    public func jar(_ jar: String, of tenant: String) -> JarClient {
        JarClient(caller: caller, path: ["v1", "tenants", tenant, "jars", jar])
    }
}
