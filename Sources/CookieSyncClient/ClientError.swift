// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// Why a call brought no result.
public struct ClientError: Error, Sendable {
    /// What kind of failure it is; more kinds may come.
    public struct Code: Hashable, Sendable {
        private let word: String

        private init(_ word: String) {
            self.word = word
        }

        /// No whole answer came.
        public static let transport = Code("transport")
        /// The service refused the call; `problem` says why.
        public static let refused = Code("refused")
        /// The caller's token is missing, unknown, or not enough.
        public static let denied = Code("denied")
        /// The service cannot answer now (429, 503), also after the retries.
        public static let unavailable = Code("unavailable")
        /// The jar is at another revision than the caller said it must be at.
        public static let conflict = Code("conflict")
        /// The changes since that revision are not kept any more: read the stores anew and follow from their revision.
        public static let gone = Code("gone")
        /// The answer is not what this client knows.
        public static let undecodable = Code("undecodable")
    }

    /// The kind.
    public let code: Code
    /// The status of the answer; nil when none came.
    public let status: Int?
    /// The service's own account; nil when there is none.
    public let problem: ProblemBody?
    /// In words, for a log; holds no cookie, header or token.
    public let message: String

    init(_ code: Code, status: Int? = nil, problem: ProblemBody? = nil, _ message: String) {
        self.code = code
        self.status = status
        self.problem = problem
        self.message = message
    }

    init(_ error: TransportError) {
        self.init(.transport, error.message)
    }

    /// The failure that an answer stands for.
    init(_ response: TransportResponse) {
        // What is no problem document is told by its status.
        let problem = try? ProblemBody(parsing: response.body)
        let code: Code =
            switch response.status {
            case 401, 403: .denied
            case 412: .conflict
            case 410: .gone
            case 429, 503: .unavailable
            case 400..<500: .refused
            default: .undecodable
            }
        self.init(
            code, status: response.status, problem: problem,
            problem.map { "\($0.title): \($0.detail)" } ?? "answered with \(response.status)")
    }
}

extension ClientError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
