// SPDX-License-Identifier: Apache-2.0

/// An SQL statement that each connection prepares once.
struct Statement: Sendable {
    let name: String
    let sql: String
}

/// Statements that are sent together, so that they share one round trip.
struct Script {
    struct Step {
        let statement: Statement
        let parameters: Parameters
    }

    private(set) var steps: [Step] = []
    private var tenant: [UInt8]?

    /// Adds a statement with the parameters that the closure appends; answers its number.
    @discardableResult
    mutating func add(
        _ statement: Statement, _ build: (inout Parameters) -> Void = { _ in }
    ) -> Int {
        var parameters = Parameters()
        build(&parameters)
        steps.append(Step(statement: statement, parameters: parameters))
        return steps.count - 1
    }

    /// From here to the end of the transaction, or to the next call, only that tenant's rows are there: row-level
    /// security holds it, whatever the statements say.
    mutating func enter(_ name: [UInt8]) {
        guard tenant != name else { return }
        tenant = name
        add(Statements.enter) { $0.octets(name) }
    }
}

/// What came of a script.
struct Exchange {
    /// The results of the statements that succeeded: all, or those before the one that failed.
    var results: [QueryResult] = []
    /// Why the next one failed, and with it all that come after.
    var failure: PostgresError?
    /// Whether the server warned of something meanwhile: a commit that it did not wait for is no error to it.
    var hasWarning = false
}
