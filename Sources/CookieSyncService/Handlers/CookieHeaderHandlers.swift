// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET S/cookie-header`: the hot path.
    ///
    /// With the jar in memory it is answered on the event loop, in the loop's own scratch memory.
    func getCookieHeader(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        guard let representation = Representation.preferred(by: call.request.field("Accept"))
        else {
            throw Problem(
                .notAcceptable, "Accept application/json or text/plain.")
        }
        var useCase = try meaning(of: call, on: exchange.note.loop)
        let takesGzip = call.request.acceptsGzip
        // What is made of an address depends on the tenant's table of hosts, over which there is no watch.
        let isKept = !useCase.namesAddress
        if useCase.namesAddress {
            guard let tenant = storage.cachedTenant(call.path.tenant) else {
                return try load(useCase, representation, call, &exchange)
            }
            do throws(ServiceError) {
                useCase = try useCase.actual(by: tenant.hosts)
            } catch {
                throw Problem(error)
            }
        }
        if !audits(call.route),
            let found = storage.watchedSnapshot(tenant: call.path.tenant, jar: call.path.jar)
        {
            let store = found.snapshot.store(named: call.path.store)
            if store == nil { _ = try call.storeID() }
            let form = KnownAnswer.Form(representation: representation, takesGzip: takesGzip)
            let written = writeHeader(useCase, found.snapshot, store, form, to: &exchange.body)
            if isKept { keep(written, found.watch, form, call, exchange) }
            return send(written.tag, representation, call, &exchange)
        }
        try load(useCase, representation, call, &exchange)
    }

    /// What the query asks, known from before or read now.
    private func meaning(of call: Call, on loop: Int) throws(Problem) -> GetCookieHeader {
        if let known = questions.meaning(of: call.query.bytes, on: loop) { return known }
        let meaning = try cookieHeaderQuestion(call)
        questions.note(meaning, of: call.query.bytes, on: loop)
        return meaning
    }

    /// The same answer for a jar that is not in memory: when it has been loaded, in memory of its own.
    private func load(
        _ useCase: GetCookieHeader, _ representation: Representation, _ call: Call,
        _ exchange: inout HTTPExchange
    ) throws(Problem) {
        let (address, storeID) = (try call.jarAddress(), try call.storeID())
        let (takesGzip, id) = (call.request.acceptsGzip, call.id)
        let held = HeldTags(of: call.request)
        let responder = later(call, &exchange)
        question(useCase, about: address) { [self] result in
            let (snapshot, useCase): (JarSnapshot, GetCookieHeader)
            switch result {
            case .success(let loaded): (snapshot, useCase) = loaded
            case .failure(let error): return responder.send(problem(Problem(error), id))
            }
            var body: [UInt8] = []
            let form = KnownAnswer.Form(representation: representation, takesGzip: takesGzip)
            let tag = writeHeader(
                useCase, snapshot, snapshot.store(storeID), form, to: &body
            ).tag
            let isHeld = held.contains(tag)
            var response = HTTPResponse.empty(isHeld ? .notModified : .ok, id)
            response.fields.append("Vary", "Accept, Accept-Encoding")
            tag.withBytes { _ = response.fields.append("ETag", $0) }
            if !isHeld {
                response.fields.append("Content-Type", representation.contentType)
                response.body = .bytes(body)
            }
            responder.send(response)
        }
    }

    /// Loads a jar, and puts a question about an address to the host that the address belongs to.
    private func question(
        _ useCase: GetCookieHeader, about address: JarAddress,
        completion:
            @escaping @Sendable (Result<(JarSnapshot, GetCookieHeader), ServiceError>) -> Void
    ) {
        guard useCase.namesAddress else {
            return storage.read(address) { result in
                completion(result.map { ($0, useCase) }.mapError(ServiceError.storage))
            }
        }
        storage.loadWithRecords(address) { result in
            completion(
                result.mapError(ServiceError.storage).flatMap { loaded in
                    do throws(ServiceError) {
                        return .success((loaded.jar, try useCase.actual(by: loaded.tenant.hosts)))
                    } catch {
                        return .failure(error)
                    }
                })
        }
    }

    private func cookieHeaderQuestion(_ call: Call) throws(Problem) -> GetCookieHeader {
        var query = CookieHeaderQuery(url: try call.query.required("url"))
        query.method = try call.query.method()
        query.sameSiteContext =
            try call.query.choice("same_site_context", of: SameSiteContextWord.self) ?? .strict
        query.isHTTPAPI = try call.query.bool("http_api") ?? true
        query.partitionKey = try call.query.bytes("partition_key")
        query.originHost = try call.query.bytes("origin_host")
        return try reading.cookieHeader(query, at: "/query", urlAt: "/query/url")
    }

    /// For how long an answer is kept at most, in seconds: a jar that is read is to be seen to be in use, lest it be dropped
    /// from memory.
    private static let longestKept: Int64 = 10

    /// An answer that was written.
    struct Written {
        let tag: EntityTag
        /// How long the same question has the same answer.
        let times: Range<Timestamp>
    }

    /// Appends the answer and tells about it.
    private func writeHeader(
        _ useCase: GetCookieHeader, _ snapshot: JarSnapshot, _ store: JarSnapshot.Store?,
        _ form: KnownAnswer.Form, to body: inout [UInt8]
    ) -> Written {
        let now = clock()
        let revision = snapshot.revision(for: store)
        var until = now.adding(seconds: Self.longestKept)
        switch form.representation {
        case .text:
            let summary = useCase.run(on: store, rules: rules, now: now, to: &body)
            until = min(until, summary?.holdsUntil ?? until)
        case .json:
            CookieHeaderDocument.write(revision: revision, to: &body) { body in
                let summary = useCase.run(on: store, rules: rules, now: now, to: &body)
                until = min(until, summary?.holdsUntil ?? until)
                return summary
            }
        }
        let tag = body.withUnsafeBufferPointer {
            tags.tag(
                of: $0, representation: form.representation.rawValue, takesGzip: form.takesGzip,
                revision: revision)
        }
        return Written(tag: tag, times: now..<max(now, until))
    }

    private func send(
        _ tag: EntityTag, _ representation: Representation, _ call: Call,
        _ exchange: inout HTTPExchange
    ) {
        call.id.withBytes { exchange.addField("X-Request-Id", $0) }
        guard !call.request.holds(tag) else { return sendNotModified(tag, &exchange) }
        tag.withBytes { exchange.addField("ETag", $0) }
        exchange.addFields(Self.fields(of: representation))
        exchange.send(.ok)
    }

    func sendNotModified(_ tag: EntityTag, _ exchange: inout HTTPExchange) {
        tag.withBytes { exchange.addField("ETag", $0) }
        exchange.addField("Vary", "Accept, Accept-Encoding")
        exchange.body.removeAll(keepingCapacity: true)
        exchange.send(.notModified)
    }

    private static let jsonFields = makeFields(of: .json)
    private static let textFields = makeFields(of: .text)

    static func fields(of representation: Representation) -> HTTPFields {
        switch representation {
        case .json: jsonFields
        case .text: textFields
        }
    }

    private static func makeFields(of representation: Representation) -> HTTPFields {
        var fields = HTTPFields()
        fields.append("Vary", "Accept, Accept-Encoding")
        fields.append("Content-Type", representation.contentType)
        return fields
    }

    /// `GET S/explain`.
    func explainCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let question = try cookieHeaderQuestion(call)
        let (store, id, showsValues) = (try call.storeID(), call.id, call.principal.seesValues)
        try answer(call, &exchange, namesAddress: question.namesAddress) {
            [self] snapshot, hosts throws(ServiceError) in
            let useCase = ExplainCookies(request: try question.actual(by: hosts).request)
            let verdicts = useCase.run(
                on: snapshot.state.stores[store], rules: rules, now: clock())
            return .json(ExplanationBody(verdicts, showingValues: showsValues), id)
        }
    }

    /// `POST S/cookie-header`: many URLs, one snapshot.
    func getCookieHeaders(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let body = try call.decode(CookieHeadersBody.self)
        var useCases: [(url: [UInt8], useCase: GetCookieHeader)] = []
        for (index, query) in body.queries.enumerated() {
            let pointer = "/urls/\(index)"
            let useCase = try reading.cookieHeader(query, at: pointer, urlAt: pointer)
            useCases.append((query.url, useCase))
        }
        let asked = useCases
        let (storeID, id) = (try call.storeID(), call.id)
        let namesAddress = asked.contains { $0.useCase.namesAddress }
        try answer(call, &exchange, namesAddress: namesAddress) {
            [self] snapshot, hosts throws(ServiceError) in
            let store = snapshot.store(storeID)
            let now = clock()
            var results: [CookieHeaderBody] = []
            for (url, useCase) in asked {
                var header: [UInt8] = []
                let summary = try useCase.actual(by: hosts)
                    .run(on: store, rules: rules, now: now, to: &header)
                results.append(
                    CookieHeaderBody(
                        url: url, cookie: SecretBytes(header), count: summary?.count ?? 0,
                        expiresAt: summary?.expiresAt?.milliseconds))
            }
            let body = CookieHeadersAnswerBody(
                results: results, revision: snapshot.revision(for: store))
            return .json(body, id)
        }
    }
}

extension Representation {
    fileprivate var contentType: StaticString {
        switch self {
        case .json: "application/json"
        case .text: "text/plain"
        }
    }
}
