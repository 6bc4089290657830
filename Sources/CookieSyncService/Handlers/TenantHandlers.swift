// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Telemetry

extension Call {
    /// The body, or what holds where there is none.
    func decode<Body: RequestBody>(_ type: Body.Type, orElse absent: Body) throws(Problem) -> Body {
        request.hasBody ? try decode(type) : absent
    }
}

extension CookieSyncService {
    /// `PUT T`.
    func putTenant(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try call.tenantID()
        let body = try call.decode(TenantSettingsBody.self, orElse: TenantSettingsBody())
        var reply = later(call, &exchange)
        let catalogue = recording(&reply)
        let (responder, id) = (reply, call.id)
        PutTenant(tenant: tenant) { $0.apply(body) }.run(on: catalogue, now: clock()) {
            [self] result in
            switch result {
            case .success(.done(let record, let isNew)):
                describe(tenant, record, status: isNew ? .created : .ok, id, responder)
            case .success(.isBeingDeleted):
                responder.send(
                    problem(Problem(.busy, "The tenant is still being deleted; try again."), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// `GET T`.
    func getTenant(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try call.tenantID()
        let (responder, id) = (later(call, &exchange), call.id)
        catalogue.read { [self] result in
            switch result {
            case .success(let state):
                let record = state.tenant(tenant)?.record
                // Without an admin token, tenants appear with their first write.
                guard record?.isBeingDeleted != true, record != nil || !needsToken else {
                    return responder.send(problem(.absent("tenant"), id))
                }
                describe(tenant, record, status: .ok, id, responder)
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// `DELETE T`.
    func deleteTenant(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try call.tenantID()
        var reply = later(call, &exchange)
        let catalogue = recording(&reply)
        let (responder, id) = (reply, call.id)
        DeleteTenant(tenant: tenant).run(on: catalogue, storage, now: clock()) { [self] result in
            switch result {
            case .success:
                feed.review()
                responder.send(.empty(.noContent, id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// Goes on with deletions that were cut short by the end of the process.
    func resumeDeletions() {
        for record in catalogue.state.tenants where record.isBeingDeleted {
            let recorded = RecordedCatalogue(catalogue)
            DeleteTenant(tenant: record.tenant).finish(on: recorded, storage) { [self] result in
                guard case .failure = result else {
                    return recordDeletion(of: record.tenant, recorded)
                }
                logger.log(
                    .error, "delete the rest of a tenant",
                    ["tenant": .text(record.tenant.description)])
            }
        }
    }

    private func describe(
        _ tenant: TenantID, _ record: CatalogueTenant?, status: HTTPStatus, _ id: RequestID,
        _ responder: Reply
    ) {
        storage.usage(of: tenant) { [self] result in
            switch result {
            case .success(let usage) where usage == nil && record == nil:
                responder.send(problem(.absent("tenant"), id))
            case .success(let usage):
                let body = TenantBody(
                    name: tenant.bytes, createdAt: record?.createdAt.milliseconds,
                    jars: usage?.jars ?? 0, bytes: usage?.bytes ?? 0,
                    tokens: catalogue.state.tokens(of: tenant).count,
                    limits: TenantLimitsBody(record?.limits ?? TenantLimits()))
                responder.send(.json(body, id, status: status))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }
}

extension TenantLimits {
    fileprivate mutating func apply(_ body: TenantSettingsBody) {
        if let bytes = body.bytes { self.bytes = bytes }
        if let rate = body.requestsPerSecond { requestsPerSecond = rate }
    }
}

extension TenantLimitsBody {
    fileprivate init(_ limits: TenantLimits) {
        self.init(bytes: limits.bytes, requestsPerSecond: limits.requestsPerSecond)
    }
}
