// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Glibc
import Locks

/// One connection, in libpq's pipeline mode: a script is written at once and its results are read in order.
///
/// Belongs to one thread. libpq is told not to block; what waits is `poll` in here, never longer than the deadline.
final class PostgresConnection {
    /// What libpq's callback sets; an object, as the callback knows only an address.
    private final class Notices {
        var hasWarning = false
    }

    private let connection: OpaquePointer
    private let notices = Notices()
    private(set) var isUsable = true

    /// Takes over a connection that libpq has opened, with all of its statements prepared.
    init(
        _ connection: OpaquePointer, statements: [Statement], until deadline: MonotonicTime
    ) throws(PostgresError) {
        self.connection = connection
        PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context else { return }
                let severity = PQresultErrorField(result, cpostgresql_diagnostic_severity)
                guard severity.map({ String(cString: $0) }) == "WARNING" else { return }
                Unmanaged<Notices>.fromOpaque(context).takeUnretainedValue().hasWarning = true
            }, Unmanaged.passUnretained(notices).toOpaque())
        guard PQstatus(connection) == CONNECTION_OK, PQsetnonblocking(connection, 1) == 0,
            PQenterPipelineMode(connection) == 1
        else { throw .lost("connect") }
        var settings = Script()
        settings.add(Statements.configure)
        if let failure = run(settings, until: deadline).failure { throw failure }
        try prepare(statements, until: deadline)
    }

    deinit { PQfinish(connection) }

    /// The descriptor to wait on while nothing is asked.
    var socket: Int32 { PQsocket(connection) }

    /// Sees whether the server has gone, without waiting; to be called when the descriptor is ready.
    func notice() {
        isUsable =
            isUsable && PQconsumeInput(connection) == 1
            && PQstatus(connection) == CONNECTION_OK
    }

    /// The payloads of the notifications that have come in.
    func notifications() -> [[UInt8]] {
        var payloads: [[UInt8]] = []
        while let notification = PQnotifies(connection) {
            // Its own it knows of.
            if notification.pointee.be_pid != PQbackendPID(connection),
                let extra = notification.pointee.extra
            {
                payloads.append(Array(String(cString: extra).utf8))
            }
            PQfreemem(notification)
        }
        return payloads
    }

    /// Sends a script and reads what comes of it.
    func run(_ script: Script, until deadline: MonotonicTime) -> Exchange {
        notices.hasWarning = false
        var exchange = Exchange()
        for step in script.steps where exchange.failure == nil {
            if !send(step) { exchange.failure = lose(step.statement.name) }
        }
        guard exchange.failure == nil else { return exchange }
        guard PQpipelineSync(connection) == 1, flush(until: deadline) else {
            exchange.failure = lose("send")
            return exchange
        }
        exchange.results.reserveCapacity(script.steps.count)
        for step in script.steps {
            read(step.statement.name, into: &exchange, until: deadline)
        }
        if isUsable, !readSync(until: deadline) {
            exchange.failure = exchange.failure ?? lose("read")
        }
        exchange.hasWarning = notices.hasWarning
        return exchange
    }

    private func prepare(
        _ statements: [Statement], until deadline: MonotonicTime
    ) throws(PostgresError) {
        guard !statements.isEmpty else { return }
        for statement in statements {
            guard PQsendPrepare(connection, statement.name, statement.sql, 0, nil) == 1 else {
                throw lose("prepare")
            }
        }
        guard PQpipelineSync(connection) == 1, flush(until: deadline) else { throw lose("prepare") }
        var exchange = Exchange()
        for statement in statements {
            read("prepare \(statement.name)", into: &exchange, until: deadline)
        }
        if let failure = exchange.failure { throw failure }
        guard readSync(until: deadline) else { throw lose("prepare") }
    }

    private func send(_ step: Script.Step) -> Bool {
        let parameters = step.parameters
        let count = parameters.count
        return parameters.bytes.withUnsafeBytes { bytes in
            // An empty parameter needs an address too: a null pointer would be NULL.
            let start = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)
            var values: [UnsafePointer<CChar>?] = []
            var lengths: [Int32] = []
            var begin = 0
            for end in parameters.ends {
                values.append(
                    start.map { ($0 + begin).assumingMemoryBound(to: CChar.self) })
                lengths.append(Int32(truncatingIfNeeded: end - begin))
                begin = end
            }
            let formats = [Int32](repeating: 1, count: count)
            if step.statement.name.isEmpty {
                return PQsendQueryParams(
                    connection, step.statement.sql, Int32(count), nil, values, lengths, formats, 1)
                    == 1
            }
            return PQsendQueryPrepared(
                connection, step.statement.name, Int32(count), values, lengths, formats, 1) == 1
        }
    }

    /// Reads the result of one statement and the null pointer that ends it.
    private func read(
        _ operation: String, into exchange: inout Exchange, until deadline: MonotonicTime
    ) {
        guard isUsable else { return }
        while let result = next(until: deadline) {
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
                exchange.results.append(QueryResult(result))
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
            default:
                let state = PQresultErrorField(result, cpostgresql_diagnostic_state)
                let failure: PostgresError =
                    state.map { .refused(String(cString: $0), operation) } ?? lose(operation)
                PQclear(result)
                exchange.failure = exchange.failure ?? failure
                if PQstatus(connection) != CONNECTION_OK { isUsable = false }
            }
        }
        if !isUsable { exchange.failure = exchange.failure ?? .lost(operation) }
    }

    private func readSync(until deadline: MonotonicTime) -> Bool {
        guard let result = next(until: deadline) else { return false }
        defer { PQclear(result) }
        return PQresultStatus(result) == PGRES_PIPELINE_SYNC
    }

    /// The next result; nil at the end of a statement's results, or when the connection is of no use any more.
    private func next(until deadline: MonotonicTime) -> OpaquePointer? {
        while isUsable, PQisBusy(connection) == 1 {
            guard wait(Int16(POLLIN), until: deadline) != 0, PQconsumeInput(connection) == 1 else {
                // What the server said before it went, such as that it shuts down, is still to be read.
                if PQisBusy(connection) == 0 { break }
                isUsable = false
                return nil
            }
        }
        return isUsable ? PQgetResult(connection) : nil
    }

    private func flush(until deadline: MonotonicTime) -> Bool {
        while true {
            let rest = PQflush(connection)
            guard rest == 1 else { return rest == 0 }
            let ready = wait(Int16(POLLIN | POLLOUT), until: deadline)
            guard ready != 0 else { return false }
            // The server may have to get rid of results before it takes more.
            if ready & Int16(POLLIN) != 0, PQconsumeInput(connection) != 1 { return false }
        }
    }

    /// What of `events` has come about; 0 when the time is up.
    private func wait(_ events: Int16, until deadline: MonotonicTime) -> Int16 {
        while true {
            let milliseconds = deadline.milliseconds - MonotonicTime.now.milliseconds
            guard milliseconds > 0 else { return 0 }
            var entry = pollfd(fd: socket, events: events, revents: 0)
            let count = poll(&entry, 1, Int32(clamping: milliseconds))
            if count > 0 { return entry.revents }
            guard count == 0 || errno == EINTR else { return 0 }
        }
    }

    private func lose(_ operation: String) -> PostgresError {
        isUsable = false
        return .lost(operation)
    }
}
