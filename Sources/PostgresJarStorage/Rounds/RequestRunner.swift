// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

extension PostgresConnection {
    /// Asks all of these at once; when one of them fails by itself, each is asked alone.
    ///
    /// Together they are one transaction, as everything between two synchronisation points of a pipeline is.
    func ask(
        _ requests: [Request], until deadline: MonotonicTime
    ) -> [Result<QueryResult, PostgresError>] {
        guard !requests.isEmpty else { return [] }
        var script = Script()
        let numbers = requests.map { script.add($0) }
        let exchange = run(script, until: deadline)
        guard let failure = exchange.failure else {
            return numbers.map { .success(exchange.results[$0]) }
        }
        guard isUsable, !failure.endsConnection, requests.count > 1 else {
            return requests.map { _ in .failure(failure) }
        }
        return requests.map { request in
            guard isUsable else { return .failure(failure) }
            return ask([request], until: deadline)[0]
        }
    }
}

extension Script {
    /// Adds a request in its tenant's name; answers its number.
    mutating func add(_ request: Request) -> Int {
        if let tenant = request.tenant { enter(tenant.bytes) }
        return add(request.statement) { $0 = request.parameters }
    }
}

extension Request {
    static func load(_ address: JarAddress) -> Request {
        Request(Statements.load, of: address.tenant) { parameters in
            parameters.octets(address.tenant.bytes)
            parameters.octets(address.jar.bytes)
        }
    }

    /// At most this many changes are applied to what is known; beyond them the jar is loaded.
    static let deltaLimit = 256

    static func delta(_ address: JarAddress, after known: KnownJar) -> Request {
        Request(Statements.delta, of: address.tenant) { parameters in
            parameters.octets(address.tenant.bytes)
            parameters.octets(address.jar.bytes)
            parameters.integer(known.revision)
            parameters.integer(Int64(deltaLimit))
        }
    }

    static func check(_ tenant: TenantID) -> Request {
        Request(Statements.checkTenant, of: tenant) { $0.octets(tenant.bytes) }
    }

    static func load(_ tenant: TenantID) -> Request {
        Request(Statements.loadTenant, of: tenant) { $0.octets(tenant.bytes) }
    }

    static func check(_ jars: [JarID], of tenant: TenantID) -> Request {
        Request(Statements.check, of: tenant) { parameters in
            parameters.octets(tenant.bytes)
            parameters.texts(jars.map(\.bytes))
        }
    }
}

/// Where jars of one tenant stand, as the statement `check` found.
struct Standings {
    private var standings: [JarID: (revision: Int64, stamp: Int64)] = [:]

    init(_ rows: QueryResult) throws(PostgresError) {
        for row in 0..<rows.count {
            guard let jar = JarID(rows.octets(row, 0)) else { throw .undecodable("a jar") }
            standings[jar] = (try rows.integer(row, 1), try rows.integer(row, 2))
        }
    }

    /// The jar's revision; zero when it has no row.
    func revision(of jar: JarID) -> Revision {
        Revision(rawValue: UInt64(bitPattern: standings[jar]?.revision ?? 0))
    }

    /// Whether the jar is still as it is known.
    func confirm(_ known: KnownJar, _ jar: JarID) -> Bool {
        let standing = standings[jar] ?? (KnownJar.absent.revision, KnownJar.absent.stamp)
        return standing == (known.revision, known.stamp)
    }
}
