// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// The rows of one statement, in PostgreSQL's binary format.
///
/// Used by the thread that got it.
final class QueryResult {
    private let result: OpaquePointer

    /// Takes the result over.
    init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// How many rows there are.
    var count: Int { Int(PQntuples(result)) }

    /// What the statement says it did, such as `COMMIT`.
    var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(result, Int32(row), Int32(column)) != 0
    }

    /// The field's octets.
    func octets(_ row: Int, _ column: Int) -> [UInt8] {
        withBytes(row, column) { Array($0) }
    }

    /// The field's octets; nil for NULL.
    func optionalOctets(_ row: Int, _ column: Int) -> [UInt8]? {
        isNull(row, column) ? nil : octets(row, column)
    }

    /// The field's text.
    func text(_ row: Int, _ column: Int) -> String {
        withBytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// An integer of two, four or eight octets.
    func integer(_ row: Int, _ column: Int) throws(PostgresError) -> Int64 {
        let value: Int64? = withBytes(row, column) { bytes in
            guard [2, 4, 8].contains(bytes.count), let first = bytes.first else { return nil }
            let sign: Int64 = first & 0x80 == 0 ? 0 : -1
            return bytes.reduce(sign) { $0 << 8 | Int64($1) }
        }
        guard let value else { throw .undecodable("a number") }
        return value
    }

    /// A truth value.
    func flag(_ row: Int, _ column: Int) -> Bool {
        withBytes(row, column) { $0.first == 1 }
    }

    private func withBytes<Value>(
        _ row: Int, _ column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value
    ) -> Value {
        let count = Int(PQgetlength(result, Int32(row), Int32(column)))
        guard let start = PQgetvalue(result, Int32(row), Int32(column)) else {
            return body(UnsafeBufferPointer(start: nil, count: 0))
        }
        return start.withMemoryRebound(to: UInt8.self, capacity: count) {
            body(UnsafeBufferPointer(start: $0, count: count))
        }
    }
}
