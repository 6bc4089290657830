// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// The reads that a lane has taken: each jar is looked at once, however many calls ask for it.
///
/// Every call came in before the round began, so what the round finds is current for all of them.
struct ReadRound {
    private let connection: PostgresConnection
    private let context: LaneContext
    private let deadline: MonotonicTime
    private var reads: [JarAddress: [Job]] = [:]
    private var tenantReads: [TenantID: [Job]] = [:]
    private var catalogueReads: [Job] = []
    private var queries: [Job] = []

    init(
        _ connection: PostgresConnection, _ context: LaneContext, until deadline: MonotonicTime
    ) {
        self.connection = connection
        self.context = context
        self.deadline = deadline
    }

    mutating func add(_ job: Job) {
        switch job.kind {
        case .read(let address, _): reads[address, default: []].append(job)
        case .readTenant(let tenant, _): tenantReads[tenant, default: []].append(job)
        case .query: queries.append(job)
        case .readCatalogue: catalogueReads.append(job)
        case .write, .writeOnce, .writeTenant, .writeCatalogue:
            preconditionFailure("a write among the reads")
        }
    }

    /// Completes the calls; answers those that are to be done once more on another connection.
    func run() -> [Job] { runReads() + runCatalogueReads() + runQueries() }

    private func runReads() -> [Job] {
        guard !reads.isEmpty || !tenantReads.isEmpty else { return [] }
        let found = Loader.load(
            jars: reads.keys, tenants: tenantReads.keys, on: connection, context.cache,
            until: deadline)
        var interrupted: [Job] = []
        for (address, jobs) in reads {
            let result = found.jars[address] ?? .failure(.lost("read"))
            interrupted += complete(jobs, result) { job, jar in
                if case .read(_, let completion) = job.kind { completion(.success(jar.snapshot)) }
            }
        }
        for (tenant, jobs) in tenantReads {
            let result = found.tenants[tenant] ?? .failure(.lost("read"))
            interrupted += complete(jobs, result) { job, records in
                if case .readTenant(_, let completion) = job.kind {
                    completion(.success(records.state))
                }
            }
        }
        return interrupted
    }

    private func runCatalogueReads() -> [Job] {
        guard !catalogueReads.isEmpty else { return [] }
        let result: Result<CatalogueState, PostgresError>
        do throws(PostgresError) {
            guard connection.isUsable else { throw .lost("read catalogue") }
            result = .success(try context.catalogue.refresh(on: connection, until: deadline))
        } catch {
            result = .failure(error)
        }
        return complete(catalogueReads, result) { job, state in
            if case .readCatalogue(let completion) = job.kind { completion(.success(state)) }
        }
    }

    private func complete<Value>(
        _ jobs: [Job], _ result: Result<Value, PostgresError>, _ succeed: (Job, Value) -> Void
    ) -> [Job] {
        switch result {
        case .success(let value):
            for job in jobs { succeed(job, value) }
            return []
        case .failure(let error): return jobs.compactMap { context.refuse($0, error) }
        }
    }

    private func runQueries() -> [Job] {
        let requests = queries.compactMap { job in
            if case .query(let request, _) = job.kind { request } else { nil }
        }
        let answers =
            connection.isUsable
            ? connection.ask(requests, until: deadline)
            : requests.map { _ in .failure(.lost("query")) }
        var interrupted: [Job] = []
        for (job, answer) in zip(queries, answers) {
            switch answer {
            case .success(let rows):
                if case .query(_, let completion) = job.kind { completion(.success(rows)) }
            case .failure(let error):
                if let job = context.refuse(job, error) { interrupted.append(job) }
            }
        }
        return interrupted
    }
}

extension LaneContext {
    /// Completes a call that has done nothing with an error; or answers it, to be done once more, when only its
    /// connection failed.
    func refuse(_ job: Job, _ error: PostgresError) -> Job? {
        health.report(error)
        if error.endsConnection, error.storageError == .unavailable, let again = job.repeated {
            return again
        }
        job.refuse(error.storageError)
        return nil
    }
}
