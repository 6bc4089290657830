// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A tenant's records as of one commit, with the stamp that the commit left on them.
struct KnownTenant: Sendable {
    let state: TenantState
    let stamp: Int64

    var revision: Int64 { Int64(bitPattern: state.revision.rawValue) }

    /// A tenant that has had no records.
    static let absent = KnownTenant(state: .empty, stamp: 0)

    init(state: TenantState, stamp: Int64) {
        self.state = state
        self.stamp = stamp
    }

    /// The records in the rows of the statement `loadTenant`.
    init(loaded rows: QueryResult) throws(PostgresError) {
        let (image, stamp) = try rows.records()
        let state: TenantState
        do throws(UndecodableRecord) {
            state = try TenantState(revision: image.revision, records: image.records)
        } catch {
            throw .undecodable("a record")
        }
        self.init(state: state, stamp: stamp)
    }

    /// Whether the rows of the statement `checkTenant` say that the records are still these.
    func isConfirmed(by rows: QueryResult) throws(PostgresError) -> Bool {
        guard rows.count > 0 else { return revision == 0 && stamp == 0 }
        return (try rows.integer(0, 0), try rows.integer(0, 1)) == (revision, stamp)
    }
}

extension QueryResult {
    /// What the rows of the statement `loadTenant` hold, with the stamp of the commit.
    func records() throws(PostgresError) -> (image: RecordImage, stamp: Int64) {
        var revision = Revision.zero
        var stamp: Int64 = 0
        var records: [TenantRecord] = []
        for row in 0..<count {
            guard try integer(row, 0) != 0 else {
                revision = try self.revision(row, 1)
                stamp = try integer(row, 2)
                continue
            }
            let number = UInt8(truncatingIfNeeded: try integer(row, 3))
            guard let kind = TenantRecordKind(rawValue: number) else {
                throw .undecodable("a record")
            }
            records.append(TenantRecord(kind: kind, name: octets(row, 4), body: octets(row, 5)))
        }
        return (RecordImage(revision: revision, records: records), stamp)
    }
}

/// What one write of a tenant's records puts into the tables.
struct TenantWrite {
    let tenant: TenantID
    let base: KnownTenant
    let changes: [TenantChange]
    let after: KnownTenant

    /// Adds the statement that does it; answers its number.
    func add(to script: inout Script) -> Int {
        let isNew = base.revision == 0
        return script.add(isNew ? Statements.createTenant : Statements.updateTenant) { parameters in
            parameters.octets(tenant.bytes)
            parameters.integer(after.revision)
            parameters.integer(after.stamp)
            addRecords(to: &parameters)
            if !isNew {
                parameters.integer(base.revision)
                parameters.integer(base.stamp)
            }
        }
    }

    /// Of each record its last change.
    private func addRecords(to parameters: inout Parameters) {
        struct Place: Hashable {
            let kind: TenantRecordKind
            let name: [UInt8]
        }
        var last: [Place: TenantChange] = [:]
        for change in changes {
            switch change {
            case .put(let record): last[Place(kind: record.kind, name: record.name)] = change
            case .removed(let kind, let name): last[Place(kind: kind, name: name)] = change
            }
        }
        let gone = last.filter { $0.value.isRemoval }.keys
        let kept = last.values.compactMap { change in
            if case .put(let record) = change { record } else { nil }
        }
        parameters.smalls(gone.map { Int16($0.kind.rawValue) })
        parameters.octets(gone.map { $0.name })
        parameters.smalls(kept.map { Int16($0.kind.rawValue) })
        parameters.octets(kept.map { $0.name })
        parameters.octets(kept.map { $0.body })
    }
}
