// SPDX-License-Identifier: Apache-2.0

import AuditLog
import HTTPServer
import JarStorage

/// The answer to a call that is given later, once: when its write is durable, and behind its record in the audit log.
struct Reply: Sendable {
    /// What the audit log is to have of the call.
    struct Entry: Sendable {
        let id: RequestID
        var record: AuditRecord
        let trail: AuditTrail
        /// What the catalogue is known by after the call.
        var mark: (@Sendable () -> [UInt8]?)?
    }

    /// Keeps an entry apart: few calls have one, and what they leave behind is passed on from closure to closure.
    private final class KeptEntry: Sendable {
        let entry: Entry

        init(_ entry: Entry) { self.entry = entry }
    }

    private let responder: HTTPResponder
    private let once: OnceCall?
    private var kept: KeptEntry?

    private var entry: Entry? {
        get { kept?.entry }
        set { kept = newValue.map(KeptEntry.init) }
    }

    init(_ responder: HTTPResponder, _ once: OnceCall?, _ entry: Entry? = nil) {
        self.responder = responder
        self.once = once
        kept = entry.map(KeptEntry.init)
        once?.answers { [self] in deliver($0) }
    }

    /// Whether the audit log has the call.
    var isRecorded: Bool { kept != nil }

    /// Says what the catalogue is known by after the call.
    mutating func note(mark: @escaping @Sendable () -> [UInt8]?) { entry?.mark = mark }

    /// Names what the call has made, which its path could not.
    mutating func note(_ token: TokenID) { entry?.record.token = token.bytes }

    /// Sends the answer, or has it kept for when the write is durable.
    func send(_ response: HTTPResponse) {
        guard once?.take(response) != true else { return }
        deliver(response)
    }

    private func deliver(_ response: HTTPResponse) {
        guard var entry = kept?.entry else { return responder.send(response) }
        entry.record.status = Int(response.status.code)
        entry.record.mark = entry.mark?()
        let id = entry.id
        entry.trail.append(entry.record) { [responder] isRecorded in
            guard !isRecorded else { return responder.send(response) }
            if case .stream(let source) = response.body { source.cancel() }
            responder.send(
                .problem(
                    Problem(
                        .outcomeUnknown,
                        "It may have taken effect, but the audit log cannot be written."), id))
        }
    }
}

extension CookieSyncService {
    /// The storage for what a call writes, on the call's conditions, and as long as a token that it came with is valid.
    func writing(_ call: Call) -> any JarStorage {
        let principal = call.principal
        if call.conditions == nil, principal.record == nil { return storage }
        return ConditionalStorage(storage, call.conditions, id: call.id) { [self] in
            if principal.record != nil, catalogue.currentState == nil { return .unavailable }
            return isStillValid(principal) ? nil : .notPermitted
        }
    }

    /// Completes when no write is under way any more that was let in before the catalogue's state of now: what is queued
    /// behind it asks anew.
    ///
    /// With a storage that refuses, there is nothing under way that could succeed.
    func settleWrites(of tenant: TenantID, completion: @escaping @Sendable () -> Void) {
        storage.writeTenant(tenant, operation: { _ in }, completion: { _ in completion() })
    }
}
