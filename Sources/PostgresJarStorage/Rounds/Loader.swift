// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// Finds out how jars and tenants' records are now: what is known and confirmed costs a row, what has moved on costs its
/// changes, and only the rest is loaded.
struct Loader {
    /// What was found, for each that was asked for.
    struct Findings {
        var jars: [JarAddress: Result<KnownJar, PostgresError>] = [:]
        var tenants: [TenantID: Result<KnownTenant, PostgresError>] = [:]
    }

    /// A question, with what to do with its answer.
    private struct Question {
        let request: Request
        let take: (inout Loader, Result<QueryResult, PostgresError>) -> Void
    }

    private typealias Known = (address: JarAddress, jar: KnownJar)

    private let cache: KnownStates
    private var findings = Findings()
    /// What is to be asked next, because of the answers so far.
    private var next: [Question] = []

    private init(_ cache: KnownStates) { self.cache = cache }

    /// The jars and records as of a moment after the call.
    ///
    /// Complexity: one round trip when all is as it is known, or not known at all; at most three.
    static func load(
        jars: some Collection<JarAddress>, tenants: some Collection<TenantID>,
        on connection: PostgresConnection, _ cache: KnownStates, until deadline: MonotonicTime
    ) -> Findings {
        var loader = Loader(cache)
        loader.ask(jars, tenants)
        while !loader.next.isEmpty {
            let questions = loader.next
            loader.next = []
            let answers = connection.ask(questions.map(\.request), until: deadline)
            for (question, answer) in zip(questions, answers) { question.take(&loader, answer) }
        }
        return loader.findings
    }

    private mutating func ask(
        _ jars: some Collection<JarAddress>, _ tenants: some Collection<TenantID>
    ) {
        for tenant in tenants {
            if let known = cache.find(tenant) { check(tenant, known) } else { load(tenant) }
        }
        var known: [Known] = []
        for address in jars {
            if let jar = cache.find(address) { known.append((address, jar)) } else { load(address) }
        }
        for (tenant, group) in Dictionary(grouping: known, by: \.address.tenant) {
            check(group, of: tenant)
        }
        // Statements of one tenant stand together, so that each is named once.
        next.sort { Self.name($0) < Self.name($1) }
    }

    private static func name(_ question: Question) -> String {
        question.request.tenant?.description ?? ""
    }

    // MARK: Jars

    private mutating func check(_ known: [Known], of tenant: TenantID) {
        add(.check(known.map(\.address.jar), of: tenant)) { loader, answer in
            loader.settle(known.map(\.address), answer) {
                (loader, rows) throws(PostgresError) in
                let standings = try Standings(rows)
                for (address, jar) in known {
                    if standings.confirm(jar, address.jar) {
                        loader.findings.jars[address] = .success(jar)
                    } else {
                        loader.advance(address, jar)
                    }
                }
            }
        }
    }

    private mutating func advance(_ address: JarAddress, _ known: KnownJar) {
        add(.delta(address, after: known)) { loader, answer in
            loader.settle([address], answer) { (loader, rows) throws(PostgresError) in
                if let jar = try known.advanced(by: rows, limit: Request.deltaLimit) {
                    loader.keep(jar, address)
                } else {
                    loader.load(address)
                }
            }
        }
    }

    private mutating func load(_ address: JarAddress) {
        add(.load(address)) { loader, answer in
            loader.settle([address], answer) { (loader, rows) throws(PostgresError) in
                loader.keep(try KnownJar(loaded: rows), address)
            }
        }
    }

    private mutating func keep(_ jar: KnownJar, _ address: JarAddress) {
        findings.jars[address] = .success(jar)
        cache.insert(jar, at: address)
    }

    /// Uses the rows of an answer; a failure is what is found for all of these.
    private mutating func settle(
        _ addresses: [JarAddress], _ answer: Result<QueryResult, PostgresError>,
        _ use: (inout Loader, QueryResult) throws(PostgresError) -> Void
    ) {
        do throws(PostgresError) {
            try use(&self, try answer.get())
        } catch {
            for address in addresses { findings.jars[address] = .failure(error) }
        }
    }

    // MARK: Tenants' records

    private mutating func check(_ tenant: TenantID, _ known: KnownTenant) {
        add(.check(tenant)) { loader, answer in
            loader.settle(tenant, answer) { (loader, rows) throws(PostgresError) in
                if try known.isConfirmed(by: rows) {
                    loader.findings.tenants[tenant] = .success(known)
                } else {
                    loader.load(tenant)
                }
            }
        }
    }

    private mutating func load(_ tenant: TenantID) {
        add(.load(tenant)) { loader, answer in
            loader.settle(tenant, answer) { (loader, rows) throws(PostgresError) in
                let records = try KnownTenant(loaded: rows)
                loader.findings.tenants[tenant] = .success(records)
                loader.cache.insert(records, of: tenant)
            }
        }
    }

    private mutating func settle(
        _ tenant: TenantID, _ answer: Result<QueryResult, PostgresError>,
        _ use: (inout Loader, QueryResult) throws(PostgresError) -> Void
    ) {
        do throws(PostgresError) {
            try use(&self, try answer.get())
        } catch {
            findings.tenants[tenant] = .failure(error)
        }
    }

    private mutating func add(
        _ request: Request,
        _ take: @escaping (inout Loader, Result<QueryResult, PostgresError>) -> Void
    ) {
        next.append(Question(request: request, take: take))
    }
}
