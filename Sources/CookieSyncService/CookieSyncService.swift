// SPDX-License-Identifier: Apache-2.0

public import AuditLog
import CookieSyncWire
public import Cookies
public import HTTPServer
public import JarStorage
import Synchronization
public import Telemetry

/// The API over HTTP: routes requests to use cases and renders what comes of them.
///
/// A request goes through the same steps, in this order: an id, who sent it (401, 403), which operation it means (404,
/// 405), its query (422), its body's media type (415), then the operation's handler. A request with a body takes them
/// twice, once before the body is read, so that nothing is read in vain.
public final class CookieSyncService: HTTPHandler, ErrorRenderer {
    /// Fields that every answer is to carry, the server's own included; for `ServerConfiguration.defaultFields`.
    public static let responseFields: [(name: String, value: String)] = [
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]

    let storage: any JarStorage
    let catalogue: any TenantCatalogue
    let hasher: TokenHasher
    let audit: AuditTrail?
    let maintenance: (any StorageMaintenance)?
    let rules: CookieRules
    let clock: @Sendable () -> Timestamp
    let settings: ServiceSettings
    let logger: Logger
    let tags: EntityTagSource
    let questions = ReadQuestions()
    let answers = KnownAnswers()
    let origins: LoopShares<OriginMemo>
    let feed: ChangeFeed
    let imports = ImportQueue()
    let metrics: ServiceMetrics
    let requestLog: RequestLog?
    private let notes: RequestNotes
    private let troubles = TroubleLog()
    let backfills: SyncRuleBackfills
    private let table = RouteTable.api
    private let authenticator: Authenticator
    private let refusals: RefusalLog
    private let ids = RequestIDSource()
    private let draining = Atomic(false)

    /// A service.
    ///
    /// - Parameters:
    ///   - storage: Where the jars are. The service does not close it.
    ///   - catalogue: Where the tenants and tokens are. The service does not close it either.
    ///   - audit: Where it is written down who did what; nil for nowhere. The service does not close it.
    ///   - maintenance: The storage's backups and checks; nil for one that keeps no files.
    ///   - rules: The rules of cookies.
    ///   - clock: The time; `SystemClock.now` unless a test says otherwise.
    ///   - settings: What the operator has set.
    ///   - logger: Hears of answers with a status of 500 and above, once in ten seconds for each type.
    ///   - requestLog: Where a line for each request goes; nil for none.
    public init(
        storage: any JarStorage, catalogue: any TenantCatalogue, audit: AuditTrail? = nil,
        maintenance: (any StorageMaintenance)? = nil, rules: CookieRules,
        clock: @escaping @Sendable () -> Timestamp = SystemClock.now,
        settings: ServiceSettings = ServiceSettings(), logger: Logger,
        requestLog: RequestLog? = nil
    ) {
        self.storage = storage
        self.catalogue = catalogue
        self.audit = audit
        hasher = TokenHasher(pepper: catalogue.pepper)
        self.maintenance = maintenance
        self.rules = rules
        origins = LoopShares(OriginMemo(names: rules.names))
        self.clock = clock
        self.settings = settings
        self.logger = logger
        tags = EntityTagSource(key: SipHash.Key.random())
        feed = ChangeFeed(storage: storage, settings: settings.feed)
        backfills = SyncRuleBackfills(storage: storage, rules: rules, clock: clock, logger: logger)
        storage.observeUnfinishedRules { [backfills] in backfills.resume($0) }
        refusals = RefusalLog(audit, clock: clock)
        authenticator = Authenticator(
            adminToken: settings.adminToken, catalogue: catalogue, hasher: hasher,
            failures: BurstCounter(limit: settings.failedLoginsPerMinute),
            reportBurst: { [refusals] in refusals.noteLogins($0) })
        self.requestLog = requestLog
        metrics = ServiceMetrics(routes: table.routes)
        metrics.add { [answers] text in
            text.add(
                "cookiesync_repeated_answers_total", .counter,
                "Answers of cookie-header that were given again as they were.", answers.repeats)
        }
        notes = RequestNotes(format: requestLog?.format)
        catalogue.observe { [feed] in feed.review() }
        reconcileAudit()
        resumeDeletions()
    }

    /// Makes `/readyz` answer 503 from now on, and ends all that follow changes; every other request is answered as
    /// before.
    public func beginDraining() {
        draining.store(true, ordering: .relaxed)
        feed.drain()
    }

    /// What the feeds do.
    public var feedCounters: FeedCounters { feed.tally.counters }

    /// Whether requests need a token.
    var needsToken: Bool { authenticator.needsToken }

    /// Whether `beginDraining` was called.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Decides about a request's body.
    ///
    /// A request without one is decided about in `respond`.
    public func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        guard head.hasBody else { return .collectBody(limit: 0) }
        let id = id(of: head, on: note.loop)
        let segments = PathSegments(head.path)
        defer { segments.deallocate() }
        do throws(Problem) {
            guard head.method != .options else {
                try enterOptions(head, segments, id, &note)
                return .collectBody(limit: settings.maximumBodyBytes)
            }
            let entry = try enter(head, segments, id, isNew: true, &note)
            let call = try call(head, entry, id, isComplete: false)
            if call.route.content == .file { return try admitImport(call) }
            return .collectBody(limit: bodyLimit(of: call))
        } catch {
            return .refuse(problem(error, id))
        }
    }

    /// Answers a request.
    public func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        let id = id(of: request, on: exchange.note.loop)
        if let answer = knownAnswer(to: request, on: exchange.note.loop) {
            return giveAgain(answer, request, id, &exchange)
        }
        let segments = PathSegments(request.path)
        defer { segments.deallocate() }
        do throws(Problem) {
            guard request.method != .options else {
                try enterOptions(request, segments, id, &exchange.note)
                return exchange.send(options(segments, id))
            }
            let entry = try enter(request, segments, id, isNew: !request.hasBody, &exchange.note)
            try entry.route.handler(
                self, try call(request, entry, id, isComplete: true), &exchange)
        } catch {
            exchange.send(problem(error, id))
        }
    }

    /// The answer to a fault of the protocol, as a problem document.
    public func response(to fault: HTTPFault, _ note: inout RequestNote) -> HTTPResponse {
        let known = note.id.withUnsafeBufferPointer { RequestID($0) }
        let id = known ?? ids.next(on: note.loop)
        if known == nil { notes.add(id, to: &note) }
        return problem(Problem(fault), id)
    }

    /// What hears of the answers of one event loop: the metrics and the log of requests.
    public func makeObserver() -> (any RequestObserver)? {
        LoopObserver(metrics.addLoop(), requestLog, routes: table.routes)
    }

    /// Adds figures of another part of the process to `/metrics`.
    ///
    /// - Parameter source: writes whole families; called for each scrape, on an event loop, so it must not block.
    public func addMetrics(_ source: @escaping @Sendable (inout MetricsText) -> Void) {
        metrics.add(source)
    }

    /// The answer to a request that failed.
    ///
    /// Answers of 500 and above are logged by type and request id, one of each type in ten seconds.
    func problem(_ problem: Problem, _ id: RequestID) -> HTTPResponse {
        if problem.kind.status >= 500, let unsaid = troubles.admit(problem.kind) {
            logger.log(
                .warning, "answer with a problem",
                [
                    "problem": .text(problem.kind.rawValue), "request_id": .text(id.text),
                    "not_logged": .number(unsaid),
                ])
        }
        return .problem(problem, id)
    }

    private func id(of head: HTTPRequest, on loop: Int) -> RequestID {
        head.field("X-Request-Id").flatMap(RequestID.init) ?? ids.next(on: loop)
    }

    /// Where a request is let in.
    private struct Entry {
        let route: Route
        let path: PathParameters
        let principal: Principal
    }

    /// Lets a request in and finds its operation; not for OPTIONS.
    ///
    /// A request that is new counts towards the limits of whoever sent it. What was found is taken apart at once: to pass it
    /// on as it is would copy it at each step.
    private func enter(
        _ head: HTTPRequest, _ segments: PathSegments, _ id: RequestID, isNew: Bool,
        _ note: inout RequestNote
    ) throws(Problem) -> Entry {
        switch table.match(head.method, segments) {
        case .route(let route, let path):
            let principal = try letIn(
                head, route, path, isMalformed: segments.isMalformed, id, isNew: isNew, &note)
            return Entry(route: route, path: path, principal: principal)
        case .otherMethods(let methods, let isOpen):
            try look(head, segments, id, isOpen ? .anyone : nil, &note)
            var problem = Problem(.methodNotAllowed, "Use one of the methods in `Allow`.")
            problem.allowedMethods = methods
            throw problem
        case .nothing:
            try look(head, segments, id, nil, &note)
            throw Self.noPath
        }
    }

    /// Lets a request in whose operation is known.
    func letIn(
        _ head: HTTPRequest, _ route: Route, _ path: PathParameters, isMalformed: Bool,
        _ id: RequestID, isNew: Bool, _ note: inout RequestNote
    ) throws(Problem) -> Principal {
        notes.add(id, head, route, path, to: &note)
        let principal = try principal(of: head, route.access)
        notes.add(principal, to: &note)
        try checkForm(isMalformed: isMalformed)
        // Ahead of what may be refused, so that guesses count.
        let tenant = tenantEntry(of: principal, path)
        if isNew { try charge(principal, tenant) }
        do throws(Problem) {
            try principal.check(route.access, path)
        } catch {
            refusals.noteReach(of: principal, head, path, id, status: Int(error.kind.status))
            throw error
        }
        try checkAudit(route)
        if isNew, route.takesRoom, let tenant { try checkRoom(of: tenant) }
        return principal
    }

    /// Lets an OPTIONS in whose path is known.
    private func enterOptions(
        _ head: HTTPRequest, _ segments: PathSegments, _ id: RequestID, _ note: inout RequestNote
    ) throws(Problem) {
        switch table.match(.options, segments) {
        case .route(let route, _): try look(head, segments, id, route.access, &note)
        case .otherMethods(_, let isOpen):
            try look(head, segments, id, isOpen ? .anyone : nil, &note)
        case .nothing:
            try look(head, segments, id, nil, &note)
            guard head.path.equals("*") else { throw Self.noPath }
        }
    }

    /// Looks at a request that has no operation, and at who sent it.
    private func look(
        _ head: HTTPRequest, _ segments: PathSegments, _ id: RequestID, _ access: Route.Access?,
        _ note: inout RequestNote
    ) throws(Problem) {
        notes.add(id, head, to: &note)
        notes.add(try principal(of: head, access), to: &note)
        try checkForm(isMalformed: segments.isMalformed)
    }

    private func checkForm(isMalformed: Bool) throws(Problem) {
        guard !isMalformed else {
            throw Problem(
                .malformedRequest, "The path has a % without two hexadecimal digits after it.")
        }
    }

    private static var noPath: Problem {
        Problem(.notFound, "There is no such path; see /openapi.yaml.")
    }

    /// What a request that was let in asks for.
    ///
    /// The conditions of a write are read once the request is complete.
    private func call(
        _ head: HTTPRequest, _ entry: Entry, _ id: RequestID, isComplete: Bool
    ) throws(Problem) -> Call {
        Call(
            request: head, route: entry.route, path: entry.path,
            query: try query(of: head, entry.route), principal: entry.principal, id: id,
            mediaType: try mediaType(of: head, entry.route),
            conditions: isComplete ? try conditions(of: head, entry.route) : nil)
    }

    /// Who sent a request; the access is nil where there is no such route.
    private func principal(
        of head: HTTPRequest, _ access: Route.Access?
    ) throws(Problem) -> Principal {
        if case .probe = access { return .anyone }
        guard authenticator.needsToken else {
            try LoopbackGuard.check(head)
            return .anyone
        }
        if case .anyone = access { return .anyone }
        return try authenticator.authenticate(head, now: clock())
    }

    private func query(
        of head: HTTPRequest, _ route: Route
    ) throws(Problem) -> QueryParameters {
        if case .probe = route.access { return try QueryParameters(nil, allowed: []) }
        return try QueryParameters(
            head.query, allowed: route.query, repeatable: route.repeatable)
    }

    private func mediaType(of head: HTTPRequest, _ route: Route) throws(Problem) -> MediaType? {
        guard route.content != .none, route.content != .file else { return nil }
        if route.content == .optionalJSON, !head.hasBody { return nil }
        let type = head.field("Content-Type").flatMap(MediaType.init)
        switch (type, route.content) {
        case (.json, _), (.message, .jsonOrMessage): return type
        case (_, .jsonOrMessage):
            throw Problem(
                .unsupportedMediaType,
                "Send `Content-Type: application/json` (UTF-8) or `message/http`.")
        default:
            throw Problem(.unsupportedMediaType, "Send `Content-Type: application/json` (UTF-8).")
        }
    }

    private func conditions(
        of head: HTTPRequest, _ route: Route
    ) throws(Problem) -> CallConditions? {
        guard route.takesConditions else { return nil }
        return try CallConditions(head, route, settings, at: clock())
    }

    private func bodyLimit(of call: Call) -> Int {
        call.mediaType == .message
            ? settings.maximumMessageBytes : settings.maximumBodyBytes
    }

    private func options(_ segments: PathSegments, _ id: RequestID) -> HTTPResponse {
        var methods = table.allMethods
        if case .otherMethods(let allowed, _) = table.match(.options, segments) {
            methods = allowed
        }
        var response = HTTPResponse.empty(.noContent, id)
        response.fields.append("Allow", Array(methods.utf8))
        return response
    }
}
