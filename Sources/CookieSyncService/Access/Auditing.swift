// SPDX-License-Identifier: Apache-2.0

import AuditLog
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// Whether the answer to an operation waits for its record in the audit log.
    func audits(_ route: Route) -> Bool {
        guard audit != nil else { return false }
        return route.isAction || (settings.auditsEverything && route.concernsCookies)
    }

    /// Refuses what would need a record while none can be written: a mutation that nobody recorded must not happen.
    func checkAudit(_ route: Route) throws(Problem) {
        guard let audit, audit.isStopped, audits(route) else { return }
        throw Problem(
            .unavailable, "The audit log cannot be written, so nothing is changed or shown.")
    }

    /// Leaves the answer for later; one that is audited is sent when its record is on disk.
    ///
    /// It may take some seconds where that is longer than usual; the closure is called when the client has gone meanwhile.
    func later(
        _ call: Call, _ exchange: inout HTTPExchange, within seconds: Int? = nil,
        onAbandon: (@Sendable () -> Void)? = nil
    ) -> Reply {
        let responder = exchange.deferResponse(within: seconds, onAbandon: onAbandon)
        let once = call.conditions?.once
        guard let audit, audits(call.route) else { return Reply(responder, once) }
        var record = AuditRecord(
            at: clock().milliseconds, action: call.route.operation, actor: call.principal.auditName,
            requestID: call.id.text, source: call.request.peerAddress)
        record.tenant = call.path.tenant.auditName
        record.jar = call.path.jar.auditName
        record.store = call.path.store.auditName
        record.token = call.path.token.auditName
        return Reply(responder, once, Reply.Entry(id: call.id, record: record, trail: audit))
    }
}

extension Principal {
    /// Who it is, in the audit log.
    fileprivate var auditName: String {
        switch self {
        case .anyone: "anyone"
        case .admin: "admin"
        case .token(let entry): entry.record.id.description
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A copy of a name; nil where the path has none.
    fileprivate var auditName: [UInt8]? { baseAddress == nil ? nil : Array(self) }
}
