// SPDX-License-Identifier: Apache-2.0

import CCrypto
public import JarStorage
import Locks
public import Telemetry

/// Sees to it that all nodes hash the secrets of tokens with one pepper.
///
/// The pepper itself is in a file that each node is given, never in the database: that has a value by which a pepper is
/// told from another one, and which says nothing else about it (an HMAC with the pepper's 256 bits as its key).
public enum FleetPepper {
    /// Reads the pepper of this node and compares it with the database's.
    ///
    /// The first node of a fleet makes the file, if it has none, and says in the database what its pepper is told by.
    ///
    /// - Parameters:
    ///   - info: Where the database is.
    ///   - adopts: Whether the database takes this node's for its own, if it has none.
    ///   - logger: Where its faults are told.
    ///   - file: Answers with the pepper of the file, which it may make only if told so. Called once, with the catalogue
    ///     locked, so that of several nodes that share the file one makes it.
    /// - Returns: The pepper.
    /// - Throws: `FleetPepperError`.
    public static func agree<Failure: Error>(
        _ info: ConnectionInfo, adopting adopts: Bool = true, logger: Logger,
        file: (_ mayMake: Bool) throws(Failure) -> CataloguePepper
    ) throws(FleetPepperError<Failure>) -> CataloguePepper {
        let connection: PostgresConnection
        do throws(DatabaseOpenError) {
            try Schema.check(info, logger)
            connection = try Self.connect(info, logger)
        } catch {
            throw .database(error)
        }
        let known = try lockedCheck(connection, Failure.self)
        let pepper: CataloguePepper
        do throws(Failure) {
            pepper = try file(known == nil && adopts)
        } catch {
            throw .file(error)
        }
        guard let check = checkValue(of: pepper) else { throw .database(.unreachable(state: "")) }
        if let known, known != check { throw .other }
        try finish(connection, adopting: known == nil && adopts ? check : nil, Failure.self)
        return pepper
    }

    /// What a pepper is told by; nil when libcrypto fails.
    static func checkValue(of pepper: CataloguePepper) -> [UInt8]? {
        let purpose = Array("cookiesync pepper".utf8)
        var value = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let isDone =
            HMAC(
                EVP_sha256(), pepper.bytes, Int32(pepper.bytes.count), purpose, purpose.count,
                &value, &count) != nil
        return isDone && count == 32 ? Array(value.prefix(16)) : nil
    }

    private static func connect(
        _ info: ConnectionInfo, _ logger: Logger
    ) throws(DatabaseOpenError) -> PostgresConnection {
        do throws(PostgresError) {
            return try LaneContext.open(info, statements: [], EngineHealth(logger: logger))
        } catch {
            throw .unreachable(state: error.state)
        }
    }

    /// Locks the catalogue's head, and answers with the value in it.
    private static func lockedCheck<Failure: Error>(
        _ connection: PostgresConnection, _: Failure.Type
    ) throws(FleetPepperError<Failure>) -> [UInt8]? {
        var script = Script()
        script.add(Statement(name: "", sql: "BEGIN"))
        let number = script.add(
            Statement(
                name: "", sql: "SELECT pepper_check FROM cookiesync.catalogue_head FOR UPDATE"))
        let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
        guard exchange.failure == nil, exchange.results[number].count == 1 else {
            throw .database(.unreachable(state: exchange.failure?.state ?? ""))
        }
        return exchange.results[number].optionalOctets(0, 0)
    }

    private static func finish<Failure: Error>(
        _ connection: PostgresConnection, adopting check: [UInt8]?, _: Failure.Type
    ) throws(FleetPepperError<Failure>) {
        var script = Script()
        if let check {
            script.add(
                Statement(
                    name: "", sql: "UPDATE cookiesync.catalogue_head SET pepper_check = $1")
            ) { $0.octets(check) }
        }
        script.add(Statement(name: "", sql: "COMMIT"))
        let exchange = connection.run(script, until: .now.adding(milliseconds: 5_000))
        if let failure = exchange.failure { throw .database(.unreachable(state: failure.state)) }
    }
}

/// Why a node cannot check the tokens of its fleet.
public enum FleetPepperError<Failure: Error>: Error {
    /// The database cannot be used.
    case database(DatabaseOpenError)
    /// The file cannot be used, or is missing where tokens were made with another one.
    case file(Failure)
    /// The file holds another pepper than the one that the tokens in the database were made with.
    case other
}
