// SPDX-License-Identifier: Apache-2.0

public import CookieSyncClient
import Glibc

/// Carries requests over plain sockets: `http` only, a connection for each request.
///
/// Needs nothing but libc. Each request runs on a thread of its own, so that no thread of the tasks' pool ever waits.
public struct SocketTransport: Transport {
    /// A transport; it has no state.
    public init() {}

    /// Sends a request and reads its answer to the end.
    ///
    /// - Throws: When no whole answer came, also because the task was cancelled.
    public func send(
        _ request: TransportRequest
    ) async throws(TransportError) -> TransportResponse {
        guard !request.server.isSecure else {
            throw TransportError("plain sockets speak http only, not https", isUnsent: true)
        }
        let connection = Connection()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Job.start {
                    continuation.resume(returning: Self.run(request, over: connection))
                }
            }
        } onCancel: {
            connection.cancel()
        }
        return try result.get()
    }

    private static func run(
        _ request: TransportRequest, over connection: Connection
    ) -> Result<TransportResponse, TransportError> {
        defer { connection.close() }
        return Result { () throws(TransportError) in
            try connection.open(request.server, seconds: request.timeoutSeconds)
            let sent =
                connection.send(head(of: request), nil)
                && connection.send(request.body ?? [], request.progress)
            var reader = ResponseReader()
            do throws(TransportError) {
                return try reader.read { () throws(TransportError) in try connection.receive() }
            } catch {
                // A service that refuses a long content answers before it has read all of it.
                guard sent else { throw TransportError("send the request", isUnsent: false) }
                throw error
            }
        }
    }

    private static func head(of request: TransportRequest) -> [UInt8] {
        var head = "\(request.method) \(request.target) HTTP/1.1\r\n"
        head += "Host: \(request.server.authority)\r\nConnection: close\r\n"
        for field in request.fields { head += "\(field.name): \(field.value)\r\n" }
        if let body = request.body { head += "Content-Length: \(body.count)\r\n" }
        return Array("\(head)\r\n".utf8)
    }
}

/// Runs something on a thread of its own.
private final class Job: Sendable {
    private let body: @Sendable () -> Void

    private init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    /// Where no thread can be had, the caller's does it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let job = Unmanaged.passRetained(Job(body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, job.toOpaque())
        guard error == 0 else { return job.takeRetainedValue().body() }
        pthread_detach(thread)
    }
}
