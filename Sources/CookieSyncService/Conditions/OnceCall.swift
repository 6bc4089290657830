// SPDX-License-Identifier: Apache-2.0

import Cookies
import HTTPServer
import JarStorage
import Locks

/// A call with an `Idempotency-Key`: it takes effect once, and whoever repeats it gets the same answer.
///
/// The answer has to be known inside the write, to be kept in its transaction. So the use case's completion is called
/// there, and what it sends is caught here; it goes out when the write is durable.
final class OnceCall: Sendable {
    private enum State: Sendable {
        /// What is sent goes out.
        case passing
        /// What is sent is kept back.
        case catching
        case caught(HTTPResponse)
    }

    /// The longest key.
    static let maximumKeyLength = 255

    /// What the storage knows the call by.
    let key: WriteKey
    private let state: Locked<State>
    private let forward: Locked<(@Sendable (HTTPResponse) -> Void)?>

    /// The call that a request makes; nil without the field, and for methods that are idempotent as they are.
    ///
    /// - Throws: `invalidRequest` for a key that breaks the rule.
    init?(_ request: HTTPRequest, _ route: Route, _ settings: ServiceSettings, at now: Timestamp)
        throws(Problem)
    {
        guard route.method == .post, let field = request.field("Idempotency-Key") else {
            return nil
        }
        // Not where they are declared: that would make them for every call without a key, too.
        state = Locked(.passing)
        forward = Locked(nil)
        guard request.fieldCount("Idempotency-Key") == 1,
            1...Self.maximumKeyLength ~= field.count, field.allSatisfy({ 0x21...0x7E ~= $0 })
        else {
            throw .invalid(
                "/header/Idempotency-Key",
                "must be one key of 1 to \(Self.maximumKeyLength) visible ASCII characters")
        }
        key = WriteKey(
            key: Array(field), fingerprint: Self.fingerprint(of: request, route), at: now,
            expires: now.adding(seconds: Int64(settings.idempotencySeconds)))
    }

    /// Says how an answer goes out.
    func answers(by forward: @escaping @Sendable (HTTPResponse) -> Void) {
        self.forward.withLock { $0 = forward }
    }

    /// Sends an answer, whatever is being caught.
    func send(_ response: HTTPResponse) {
        forward.withLock { $0 }?(response)
    }

    /// Keeps an answer back, if it is wanted.
    ///
    /// - Returns: Whether it was.
    func take(_ response: HTTPResponse) -> Bool {
        state.withLock { state in
            switch state {
            case .passing: return false
            case .catching:
                state = .caught(response)
                return true
            case .caught: return true
            }
        }
    }

    /// What is sent while a closure runs.
    func answer(sentBy body: () -> Void) -> HTTPResponse? {
        state.withLock { $0 = .catching }
        body()
        return state.withLock { state in
            defer { state = .passing }
            if case .caught(let response) = state { return response }
            return nil
        }
    }

    /// A hash over everything that makes a request the same request: operation, path, query, and content.
    private static func fingerprint(of request: HTTPRequest, _ route: Route) -> [UInt8] {
        let digest = ContentDigest()
        digest.add(Array(route.operation.utf8))
        let empty = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
        let type = request.field("Content-Type") ?? empty
        for part in [request.path, request.query ?? empty, type, request.body] {
            digest.add(withUnsafeBytes(of: UInt64(part.count).bigEndian) { Array($0) })
            digest.add(part)
        }
        if let upload = request.bodySink as? ImportUpload, let content = upload.digest {
            digest.add(content.finish())
        }
        return digest.finish()
    }
}

/// An answer as it is kept: two octets of status, then the JSON document.
struct StoredAnswer {
    private let status: UInt16
    private let document: [UInt8]

    /// An answer that is worth keeping: one of success, whole, in JSON or empty.
    init?(_ response: HTTPResponse) {
        guard 200...299 ~= response.status.code, case .bytes(let document) = response.body else {
            return nil
        }
        status = response.status.code
        self.document = document
    }

    /// One that was kept.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return nil }
        status = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        document = Array(bytes[2...])
    }

    /// What is kept of it.
    var bytes: [UInt8] {
        [UInt8(status >> 8), UInt8(truncatingIfNeeded: status)] + document
    }

    /// The answer to another call.
    func response(_ id: RequestID) -> HTTPResponse {
        document.isEmpty
            ? .empty(HTTPStatus(code: status), id)
            : .json(document, id, status: HTTPStatus(code: status))
    }
}
