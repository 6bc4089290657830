// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

// What handlers are made of: reading identifiers and bodies, and answering now or later.

extension Call {
    /// The tenant that the path names.
    func tenantID() throws(Problem) -> TenantID {
        guard let tenant = TenantID(path.tenant) else {
            throw .invalid("/path/tenant", TenantID.rule)
        }
        return tenant
    }

    /// The jar that the path names.
    func jarAddress() throws(Problem) -> JarAddress {
        let tenant = try tenantID()
        guard let jar = JarID(path.jar) else { throw .invalid("/path/jar", JarID.rule) }
        return JarAddress(tenant: tenant, jar: jar)
    }

    /// The store that the path names.
    func storeID() throws(Problem) -> StoreID {
        guard let store = StoreID(path.store) else { throw .invalid("/path/store", StoreID.rule) }
        return store
    }

    /// The body, as JSON.
    func decode<Body: RequestBody>(_ type: Body.Type) throws(Problem) -> Body {
        do throws(BodyError) {
            return try Body(parsing: Array(request.body))
        } catch {
            switch error {
            case .json(let error): throw Problem(error)
            case .schema(let error): throw Problem(error)
            }
        }
    }
}

extension CookieSyncService {
    /// How URLs and hosts are read.
    var reading: HostReading { HostReading(rules: rules) }

    /// How URLs and hosts are read on an event loop, which remembers hosts that come again and again.
    func reading(on loop: Int) -> HostReading {
        HostReading(rules: rules, origins: origins[loop])
    }

    /// Answers out of a jar's state: at once when it is in memory, otherwise when it has been loaded.
    func answer(
        _ call: Call, _ exchange: inout HTTPExchange,
        _ render: @escaping @Sendable (JarSnapshot) -> Result<HTTPResponse, ServiceError>
    ) throws(Problem) {
        let address = try call.jarAddress()
        if !audits(call.route),
            let snapshot = storage.cachedSnapshot(tenant: call.path.tenant, jar: call.path.jar)
        {
            return exchange.send(response(render(snapshot), call.id))
        }
        let responder = later(call, &exchange)
        let id = call.id
        storage.read(address) { [self] result in
            responder.send(response(result.mapError(ServiceError.storage).flatMap(render), id))
        }
    }

    /// Answers out of a jar's state and, if a URL names an address, the tenant's table of hosts.
    func answer(
        _ call: Call, _ exchange: inout HTTPExchange, namesAddress: Bool,
        _ render:
            @escaping @Sendable (
                JarSnapshot, HostTable
            ) throws(ServiceError) -> HTTPResponse
    ) throws(Problem) {
        guard namesAddress else {
            return try answer(call, &exchange) { snapshot in
                Self.result { () throws(ServiceError) in
                    try render(snapshot, TenantState.empty.hosts)
                }
            }
        }
        let address = try call.jarAddress()
        if !audits(call.route),
            let snapshot = storage.cachedSnapshot(tenant: call.path.tenant, jar: call.path.jar),
            let tenant = storage.cachedTenant(call.path.tenant)
        {
            let result = Self.result { () throws(ServiceError) in
                try render(snapshot, tenant.hosts)
            }
            return exchange.send(response(result, call.id))
        }
        let responder = later(call, &exchange)
        let id = call.id
        storage.loadWithRecords(address) { [self] result in
            let answer = result.mapError(ServiceError.storage).flatMap { loaded in
                Self.result { () throws(ServiceError) in
                    try render(loaded.jar, loaded.tenant.hosts)
                }
            }
            responder.send(response(answer, id))
        }
    }

    private static func result(
        _ render: () throws(ServiceError) -> HTTPResponse
    ) -> Result<HTTPResponse, ServiceError> {
        do throws(ServiceError) {
            return .success(try render())
        } catch {
            return .failure(error)
        }
    }

    /// Answers out of a tenant's records: at once when they are in memory, otherwise when they have been loaded.
    func answerOfTenant(
        _ call: Call, _ exchange: inout HTTPExchange,
        _ render: @escaping @Sendable (TenantState) -> Result<HTTPResponse, ServiceError>
    ) throws(Problem) {
        let tenant = try call.tenantID()
        if let state = storage.cachedTenant(call.path.tenant) {
            return exchange.send(response(render(state), call.id))
        }
        let responder = later(call, &exchange)
        let id = call.id
        storage.readTenant(tenant) { [self] result in
            responder.send(response(result.mapError(ServiceError.storage).flatMap(render), id))
        }
    }

    /// A completion of a change of a tenant's records.
    func completion<Answer: Sendable>(
        _ call: Call, _ exchange: inout HTTPExchange,
        _ render: @escaping @Sendable (Answer) -> HTTPResponse
    ) -> @Sendable (Result<Answer, ServiceError>) -> Void {
        let responder = later(call, &exchange)
        let id = call.id
        return { [self] result in responder.send(response(result.map(render), id)) }
    }

    /// A completion that answers with a body.
    func completion<Answer: Sendable>(
        _ call: Call, _ exchange: inout HTTPExchange,
        _ body: @escaping @Sendable (Changed<Answer>) -> some AnswerBody
    ) -> @Sendable (Result<Changed<Answer>, ServiceError>) -> Void {
        let responder = later(call, &exchange)
        let id = call.id
        return { [self] result in
            responder.send(response(result.map { .json(body($0), id) }, id))
        }
    }

    /// A completion that answers without content.
    func completion<Answer: Sendable>(
        _ call: Call, _ exchange: inout HTTPExchange
    ) -> @Sendable (Result<Changed<Answer>, ServiceError>) -> Void {
        let responder = later(call, &exchange)
        let id = call.id
        return { [self] result in
            responder.send(response(result.map { _ in .empty(.noContent, id) }, id))
        }
    }

    /// What answers a result.
    func response(
        _ result: Result<HTTPResponse, ServiceError>, _ id: RequestID
    ) -> HTTPResponse {
        switch result {
        case .success(let response): response
        case .failure(let error): problem(Problem(error), id)
        }
    }
}
