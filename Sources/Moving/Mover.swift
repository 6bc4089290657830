// SPDX-License-Identifier: Apache-2.0

public import JarStorage

/// Copies everything from one engine into another, as it is, and sees that it has arrived.
///
/// A jar is there as a whole or not at all, and one that is there already is compared instead of written: so a move that
/// was cut short is simply run again, and one that is run again after its end only checks.
public struct Mover {
    private let source: any JarArchive
    private let target: any JarArchive
    private let progress: (MoveReport) -> Void

    /// A move; `progress` is called after each jar with what has been done so far.
    public init(
        from source: any JarArchive, to target: any JarArchive,
        progress: @escaping (MoveReport) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.progress = progress
    }

    /// Moves every tenant.
    ///
    /// - Throws: `MoveError`; what has been moved until then stays, and counts when the move is run again.
    public func run() throws(MoveError) -> MoveReport {
        var report = MoveReport()
        var content = ImageOctets()
        let catalogue = try surveyCatalogue()
        let plans = try survey()
        report.tenantCount = plans.count
        for plan in plans {
            content.put(plan.tenant.bytes)
            for jar in plan.jars {
                let digest = try move(jar, plan, &report)
                content.put(jar.bytes)
                content.put(digest.octets)
                report.jars += 1
                progress(report)
            }
            content.put(try moveRecords(of: plan))
            report.tenants += 1
            progress(report)
        }
        try move(catalogue)
        content.put(catalogue.image)
        report.tokens = catalogue.image.tokens.count
        report.digest = Digest(content.octets)
        return report
    }

    private struct CataloguePlan {
        let image: CatalogueImage
        let hasArrived: Bool
    }

    /// Looks at the tenants and tokens of both sides, before anything is written.
    private func surveyCatalogue() throws(MoveError) -> CataloguePlan {
        let image = try fromSource(nil) { () throws(JarStorageError) in try source.catalogue() }
        let found = try atTarget(nil) { () throws(JarStorageError) in try target.catalogue() }
        let hasArrived = Digest(found) == Digest(image)
        guard hasArrived || found.isEmpty else { throw .occupiedCatalogue }
        return CataloguePlan(image: image, hasArrived: hasArrived)
    }

    /// Moves them at the very end: what a token leads to is there then.
    private func move(_ plan: CataloguePlan) throws(MoveError) {
        guard !plan.hasArrived else { return }
        let found = try atTarget(nil) { () throws(JarStorageError) in
            try target.put(plan.image)
            return try target.catalogue()
        }
        guard Digest(found) == Digest(plan.image) else { throw .differentCatalogue }
    }

    private struct Plan {
        let tenant: TenantID
        let jars: [JarID]
        let records: RecordImage
        /// What the target has of it.
        let arrived: Set<JarID>
        let arrivedRecords: RecordImage
    }

    /// Looks at every tenant's names, before anything is written.
    private func survey() throws(MoveError) -> [Plan] {
        var plans: [Plan] = []
        for tenant in try fromSource(nil, { () throws(JarStorageError) in try source.tenants() }) {
            let (jars, records) = try fromSource(tenant) { () throws(JarStorageError) in
                (try source.jars(of: tenant), try source.records(of: tenant))
            }
            let (arrived, arrivedRecords) = try atTarget(tenant) { () throws(JarStorageError) in
                (Set(try target.jars(of: tenant)), try target.records(of: tenant))
            }
            // Records come last, so where they are, all the jars are.
            let isFinished = arrivedRecords == records && arrived == Set(jars)
            guard isFinished || arrived.isSubset(of: jars) && arrivedRecords.revision == .zero
            else { throw .occupied(tenant) }
            plans.append(
                Plan(
                    tenant: tenant, jars: jars, records: records, arrived: arrived,
                    arrivedRecords: arrivedRecords))
        }
        return plans
    }

    private func move(
        _ jar: JarID, _ plan: Plan, _ report: inout MoveReport
    ) throws(MoveError) -> Digest {
        let address = JarAddress(tenant: plan.tenant, jar: jar)
        let image = try fromSource(plan.tenant) { () throws(JarStorageError) in
            try source.image(of: address)
        }
        let digest = Digest(image)
        let hasArrived = plan.arrived.contains(jar)
        let found = try atTarget(plan.tenant) { () throws(JarStorageError) in
            if !hasArrived { try target.put(image, at: address) }
            return Digest(try target.image(of: address))
        }
        guard found == digest else {
            throw hasArrived ? .occupied(plan.tenant) : .different(plan.tenant)
        }
        if !hasArrived { report.moved += 1 }
        report.changes += image.changes.count
        return digest
    }

    private func moveRecords(of plan: Plan) throws(MoveError) -> RecordImage {
        guard plan.records.revision > .zero, plan.arrivedRecords.revision == .zero else {
            return plan.records
        }
        let found = try atTarget(plan.tenant) { () throws(JarStorageError) in
            try target.put(plan.records, of: plan.tenant)
            return try target.records(of: plan.tenant)
        }
        guard found == plan.records else { throw .different(plan.tenant) }
        return plan.records
    }

    private func fromSource<Value>(
        _ tenant: TenantID?, _ body: () throws(JarStorageError) -> Value
    ) throws(MoveError) -> Value {
        do throws(JarStorageError) {
            return try body()
        } catch {
            throw .source(tenant, error)
        }
    }

    private func atTarget<Value>(
        _ tenant: TenantID?, _ body: () throws(JarStorageError) -> Value
    ) throws(MoveError) -> Value {
        do throws(JarStorageError) {
            return try body()
        } catch {
            throw .target(tenant, error)
        }
    }
}
