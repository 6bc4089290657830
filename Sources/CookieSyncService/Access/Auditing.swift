// SPDX-License-Identifier: Apache-2.0

import AuditLog
import Cookies
import HTTPServer
import JarStorage
import Synchronization

/// Writes down that somebody is trying doors, once for each burst of it.
///
/// What is refused changes nothing and needs no record of its own; that somebody goes on trying does. A crowd of addresses
/// gets one line a second, so that nobody fills the disk from outside.
final class RefusalLog: Sendable {
    private let trail: AuditTrail?
    private let clock: @Sendable () -> Timestamp
    private let tokens = BurstCounter(limit: 0)
    private let pace = Atomic<Int64>(0)

    /// A log; without a trail, of nothing.
    init(_ trail: AuditTrail?, clock: @escaping @Sendable () -> Timestamp) {
        (self.trail, self.clock) = (trail, clock)
    }

    /// Notes an address from which too many tokens were not valid.
    func noteLogins(_ head: HTTPRequest) {
        guard let trail, !trail.isStopped,
            RateLimit.admits(rate: 1, pace, now: SystemClock.monotonicMicroseconds())
        else { return }
        trail.append(
            AuditRecord(
                at: clock().milliseconds, action: "loginsRefused", actor: "anyone",
                source: head.peerAddress, status: 429))
    }

    /// Notes a token that asked for what is not its to use: the first time in a minute, and what it was.
    func noteReach(
        of principal: Principal, _ head: HTTPRequest, _ path: PathParameters, _ id: RequestID,
        status: Int
    ) {
        guard let trail, !trail.isStopped, case .token(let entry) = principal else { return }
        let id64 = UInt64(bitPattern: Int64(entry.record.id.hashValue))
        guard tokens.note((id64, 0)) == .begins else { return }
        var record = AuditRecord(
            at: clock().milliseconds, action: "accessRefused", actor: principal.auditName,
            requestID: id.text, source: head.peerAddress, status: status)
        record.name(path)
        trail.append(record)
    }
}

extension CookieSyncService {
    /// Whether the answer to an operation waits for its record in the audit log.
    func audits(_ route: Route) -> Bool {
        guard audit != nil else { return false }
        return route.isAction || (settings.auditsEverything && route.concernsCookies)
    }

    /// Refuses what would need a record while none can be written: a mutation that nobody recorded must not happen.
    func checkAudit(_ route: Route) throws(Problem) {
        guard audits(route), let audit, audit.isStopped else { return }
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
        record.name(call.path)
        return Reply(responder, once, Reply.Entry(id: call.id, record: record, trail: audit))
    }
}

extension AuditRecord {
    /// Names what a path names.
    fileprivate mutating func name(_ path: PathParameters) {
        tenant = path.tenant.auditName
        jar = path.jar.auditName
        store = path.store.auditName
        token = path.token.auditName
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
