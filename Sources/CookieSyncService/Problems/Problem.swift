// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire

/// Why a request is not answered with what it asked for.
///
/// Never holds a value, a token or a path of this machine.
struct Problem: Error, Sendable {
    /// Which type of problem it is.
    let kind: ProblemKind
    /// What to change.
    let detail: String
    /// Where the body stops being JSON.
    var offset: Int?
    /// What is wrong where.
    var errors: [ProblemBody.Item] = []
    /// The jar's revision, for a 412.
    var revision: UInt64?
    /// The methods that are allowed, for a 405.
    var allowedMethods: String?
    /// Seconds after which the request is worth repeating, where they differ from those of the kind.
    var retryAfter: Int?

    init(_ kind: ProblemKind, _ detail: String) {
        self.kind = kind
        self.detail = detail
    }

    /// Something that breaks a rule at one place of the request.
    static func invalid(_ pointer: String, _ detail: String) -> Problem {
        invalid([ProblemBody.Item(pointer: pointer, detail: detail)])
    }

    /// Something that breaks a rule at some places of the request.
    static func invalid(_ errors: [ProblemBody.Item]) -> Problem {
        var problem = Problem(.invalidRequest, "Change what `errors` points at.")
        problem.errors = errors
        return problem
    }
}
