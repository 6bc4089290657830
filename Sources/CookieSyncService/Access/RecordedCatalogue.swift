// SPDX-License-Identifier: Apache-2.0

import AuditLog
import CookieSyncWire
import Cookies
import JarStorage
import Locks

// A change of the catalogue is durable before its record is: the process may end in between. So each record says what the
// whole catalogue was after the change, and a start that finds another one than the last record says writes that down.

/// The catalogue as a call sees it whose record goes into the audit log: it remembers the state that the call has made.
final class RecordedCatalogue: TenantCatalogue {
    private let base: any TenantCatalogue
    private let last = Locked<CatalogueState?>(nil)

    init(_ base: any TenantCatalogue) { self.base = base }

    /// What the newest of its operations has left, if that was committed.
    var made: CatalogueState? { last.withLock { $0 } }

    func write<Answer: Sendable>(
        operation: @escaping @Sendable (inout CatalogueDraft) -> Answer,
        completion: @escaping @Sendable (Result<Answer, JarStorageError>) -> Void
    ) {
        base.write(
            operation: { [last] draft in
                let answer = operation(&draft)
                let state = draft.state
                last.withLock { $0 = state }
                return answer
            },
            completion: { [last] result in
                if case .failure = result { last.withLock { $0 = nil } }
                completion(result)
            })
    }

    var state: CatalogueState { base.state }
    var hasLimits: Bool { base.hasLimits }
    var pepper: CataloguePepper { base.pepper }
    var isExclusive: Bool { base.isExclusive }
}

extension CookieSyncService {
    /// The catalogue for what a call changes in it, with the reply that its record goes with.
    ///
    /// A catalogue that others change as well says nothing about what was recorded here.
    func recording(_ reply: inout Reply) -> any TenantCatalogue {
        guard reply.isRecorded, catalogue.isExclusive else { return catalogue }
        let recorded = RecordedCatalogue(catalogue)
        reply.note(mark: { [hasher] in recorded.made.map(hasher.mark(of:)) })
        return recorded
    }

    /// Writes down at a start that the catalogue is another one than the last record says: something was done that no record
    /// tells of, or what was done is not there any more.
    func reconcileAudit() {
        guard let audit, catalogue.isExclusive, let last = audit.lastMark else { return }
        let mark = hasher.mark(of: catalogue.state)
        guard mark != last else { return }
        var record = AuditRecord(
            at: clock().milliseconds, action: "catalogueRecovered", actor: "service")
        record.mark = mark
        audit.append(record)
    }

    /// Records that a deletion was finished that an earlier process had begun.
    func recordDeletion(of tenant: TenantID, _ recorded: RecordedCatalogue) {
        guard let audit else { return }
        var record = AuditRecord(
            at: clock().milliseconds, action: "deleteTenant", actor: "service", status: 204)
        record.tenant = tenant.bytes
        if catalogue.isExclusive { record.mark = recorded.made.map(hasher.mark(of:)) }
        audit.append(record)
    }
}

extension TokenHasher {
    /// 32 hexadecimal digits that tell one state of the catalogue from another, all of it but when tokens were last used.
    func mark(of state: CatalogueState) -> [UInt8] {
        var text: [UInt8] = []
        for tenant in state.tenants {
            text.add(tenant.tenant.bytes)
            text.add([
                tenant.createdAt.milliseconds, Int64(tenant.limits.bytes ?? -1),
                Int64(tenant.limits.requestsPerSecond ?? -1), tenant.isBeingDeleted ? 1 : 0,
            ])
        }
        for token in state.tokens.map(\.record).sorted(by: { $0.id < $1.id }) {
            text.add(token.id.bytes)
            text.add(token.tenant.bytes)
            text.add(token.name)
            text.add([Int64(token.scopes.rawValue), Int64(token.jars.count)])
            for name in token.jars.map(\.bytes) + token.stores.map(\.bytes) { text.add(name) }
            text.add([
                Int64(token.requestsPerSecond ?? -1), token.createdAt.milliseconds,
                token.expiresAt.milliseconds, token.overlap?.until.milliseconds ?? -1,
            ])
            text.add(token.digest.bytes)
            text.add(token.overlap?.digest.bytes ?? [])
        }
        let digits = Array("0123456789abcdef".utf8)
        return digest(of: SecretBytes(text)).bytes.prefix(16).flatMap {
            [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
        }
    }
}

extension [UInt8] {
    /// Adds octets and, so that they stay apart from what follows, how many they are.
    fileprivate mutating func add(_ bytes: [UInt8]) {
        add([Int64(bytes.count)])
        self += bytes
    }

    fileprivate mutating func add(_ numbers: [Int64]) {
        for number in numbers {
            Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
        }
    }
}
