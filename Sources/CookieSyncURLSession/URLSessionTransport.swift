// SPDX-License-Identifier: Apache-2.0

public import CookieSyncClient

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Carries requests over Foundation's `URLSession`: for apps that link Foundation anyway, and for `https`.
///
/// A target of its own, so that nothing else links Foundation's networking.
public struct URLSessionTransport: Transport {
    private let session: URLSession

    /// A transport over a session of its own.
    ///
    /// The session keeps no cookie and no answer, and follows no redirect, whatever the configuration says.
    ///
    /// - Parameter configuration: What else the session is to be like, such as its proxies.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        session = URLSession(
            configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    /// Sends a request and reads its answer to the end.
    ///
    /// - Throws: When no whole answer came, also because the task was cancelled.
    public func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        let scheme = request.server.isSecure ? "https" : "http"
        guard let url = URL(string: "\(scheme)://\(request.server.authority)\(request.target)")
        else { throw TransportError("the address is no URL", isUnsent: true) }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        message.httpBody = request.body.map { Data($0) }
        message.timeoutInterval = TimeInterval(request.timeoutSeconds)
        for field in request.fields {
            message.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let data: Data
        let answer: URLResponse
        do {
            (data, answer) = try await session.data(for: message)
        } catch let error as URLError {
            throw TransportError(
                "the session failed with code \(error.code.rawValue)",
                isUnsent: [.cannotConnectToHost, .cannotFindHost, .dnsLookupFailed]
                    .contains(error.code))
        } catch {
            throw TransportError("the session failed", isUnsent: false)
        }
        guard let answer = answer as? HTTPURLResponse else {
            throw TransportError("what answers is no HTTP server", isUnsent: false)
        }
        request.progress?(request.body?.count ?? 0)
        return TransportResponse(
            status: answer.statusCode,
            fields: answer.allHeaderFields.compactMap { name, value in
                guard let name = name as? String, let value = value as? String else { return nil }
                return (name, value)
            }, body: Array(data))
    }
}

private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
