// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage
import Synchronization

/// One operation of the API.
final class Route: Sendable {
    /// Answers a request, at once or later.
    typealias Handler =
        @Sendable (CookieSyncService, Call, inout HTTPExchange) throws(Problem) -> Void

    /// What a request's body has to be.
    enum Content: Sendable {
        /// The operation takes none; one that is sent all the same is ignored.
        case none
        /// JSON.
        case json
        /// JSON, or nothing at all.
        case optionalJSON
        /// JSON, or a raw response head as `message/http`.
        case jsonOrMessage
        /// A file of cookies, under any media type.
        case file
    }

    /// Who may call: the scopes that a tenant's token needs, and whether the admin token will do.
    enum Access: Equatable, Sendable {
        /// What a jar or a store holds: a token of the tenant with these scopes, never the admin token.
        case data(TokenScopes)
        /// The same for all stores of a jar at once: not for a token that is limited to some stores.
        case wholeJar(TokenScopes)
        /// How a tenant is set up: a token of the tenant with the scope `admin`, or the admin token.
        case management
        /// What holds for all jars and stores of a tenant at once: the same, but not for a token that is limited to some.
        case wholeTenant
        /// Tenants as a whole, and the service itself: the admin token.
        case operations
        /// Figures of the whole service: a token with the scope `metrics`, or the admin token.
        case metrics
        /// Anyone who may reach the service; nothing in the answer is secret.
        case anyone
        /// Anyone at all: probes come under any host name and with any query.
        case probe
    }

    /// Its place in the table, from 1 on, which the table sets; 0 in none.
    let number = Atomic(0)
    /// The operationId in openapi.yaml.
    let operation: String
    /// The method.
    let method: HTTPMethod
    /// The path.
    let path: PathTemplate
    /// The query parameters that it knows.
    let query: [StaticString]
    /// The one among them that may be there more than once; nil where none may.
    let repeatable: StaticString?
    /// Its body.
    let content: Content
    /// Who may call.
    let access: Access
    /// The statuses that openapi.yaml lists for it, without the `default`.
    let statuses: [UInt16]
    /// Whether a call may say at which revision of the jar it is to take place, and that it is to do so once.
    let takesConditions: Bool
    /// What answers it.
    let handler: Handler

    // What follows from the rest, told once: the busiest operation asks for it on every request.

    /// Whether what it writes needs room: all that writes out of a body, which what only deletes has not.
    let takesRoom: Bool
    /// Whether the audit log always has it: what is done to tenants, tokens and settings.
    let isAction: Bool
    /// Whether the audit log has it when everything is audited: what writes, and what may show values.
    let concernsCookies: Bool

    init(
        _ operation: String, _ method: HTTPMethod, _ path: String, query: [StaticString] = [],
        repeatable: StaticString? = nil, content: Content = .none, access: Access,
        statuses: [UInt16],
        handler: @escaping Handler
    ) {
        self.operation = operation
        self.method = method
        self.path = PathTemplate(path)
        self.query = query
        self.repeatable = repeatable
        self.content = content
        self.access = access
        self.statuses = statuses
        takesConditions = statuses.contains(412)
        self.handler = handler
        switch access {
        case .data(let scopes), .wholeJar(let scopes):
            takesRoom = scopes.contains(.write) && content != .none
            isAction = operation == "putStore"
            concernsCookies =
                !scopes.isDisjoint(with: [.write, .values, .feed])
                || ["listCookies", "explainCookies"].contains(operation)
        case .management, .wholeTenant, .operations:
            (takesRoom, isAction, concernsCookies) = (false, method != .get, false)
        case .metrics, .anyone, .probe:
            (takesRoom, isAction, concernsCookies) = (false, false, false)
        }
    }
}

/// A request that has been routed and let in.
struct Call {
    /// The request.
    ///
    /// Its bytes, like all views here, are valid during the handler's call only.
    let request: HTTPRequest
    /// The operation.
    let route: Route
    /// What the path names.
    let path: PathParameters
    /// The query.
    let query: QueryParameters
    /// Who calls.
    let principal: Principal
    /// The request's id.
    let id: RequestID
    /// The media type of the body, where the route takes one.
    let mediaType: MediaType?
    /// On what conditions it may write; nil when it may write anyhow.
    let conditions: CallConditions?
}
