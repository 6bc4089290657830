// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage
import Synchronization
import Telemetry

/// What is noted of a request for the log and the metrics: its id, the number of its route, the tenant, who called, and the
/// trace that it belongs to.
///
/// Never the path itself, the query, a jar, a store, or a field of the request as it was sent.
struct RequestNotes: Sendable {
    /// Nil when requests are not logged, and only ids and numbers are noted.
    let format: LogFormat?
    /// Notes the id of a request of which nothing else is known.
    func add(_ id: RequestID, to note: inout RequestNote) {
        id.withBytes { note.id.append(contentsOf: $0) }
    }

    /// Notes a request that has no route.
    func add(_ id: RequestID, _ head: HTTPRequest, to note: inout RequestNote) {
        add(id, to: &note)
        addTrace(head, to: &note)
    }

    /// Notes what was asked for, under which id.
    func add(
        _ id: RequestID, _ head: HTTPRequest, _ route: Route, _ path: PathParameters,
        to note: inout RequestNote
    ) {
        add(id, to: &note)
        note.kind = route.number.load(ordering: .relaxed)
        if let format, TenantID.isName(path.tenant) {
            LogFields.append("tenant", path.tenant, format, to: &note.text)
        }
        addTrace(head, to: &note)
    }

    private func addTrace(_ head: HTTPRequest, to note: inout RequestNote) {
        guard let format, let trace = head.field("traceparent").flatMap(TraceParent.traceID) else {
            return
        }
        LogFields.append("trace_id", trace, format, to: &note.text)
    }

    /// Notes who called, once that is known.
    func add(_ principal: Principal, to note: inout RequestNote) {
        guard let format else { return }
        switch principal {
        case .anyone: break
        case .admin: LogFields.append("token", Array("admin".utf8), format, to: &note.text)
        case .token(let entry):
            entry.record.id.withBytes { LogFields.append("token", $0, format, to: &note.text) }
        }
    }

    /// By the number of the route, the fields that all its requests have; the first is for requests without a route.
    static func fields(of routes: [Route], _ format: LogFormat) -> [[UInt8]] {
        var none: [UInt8] = []
        LogFields.append("route", Array("none".utf8), format, to: &none)
        return [none]
            + routes.map { route in
                var fields: [UInt8] = []
                LogFields.append(
                    "method", Array("\(route.method.name)".utf8), format, to: &fields)
                LogFields.append("route", Array(route.path.text.utf8), format, to: &fields)
                return fields
            }
    }
}

/// The field `traceparent` of W3C's Trace Context.
///
///     00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01
///
/// is version, trace id, parent id and flags, in lower case. A later version may have more after a further hyphen.
enum TraceParent {
    private static let length = 55

    /// The id of the trace; nil when the field is not valid, which is as if it had not been sent.
    static func traceID(_ field: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        guard field.count >= length, isHexadecimal(field.slice(0..<2)),
            !field.slice(0..<2).equals("ff"), hasHyphens(field)
        else { return nil }
        guard field.slice(0..<2).equals("00") ? field.count == length : isOpenEnded(field) else {
            return nil
        }
        let (trace, parent) = (field.slice(3..<35), field.slice(36..<52))
        guard isIdentifier(trace), isIdentifier(parent), isHexadecimal(field.slice(53..<55)) else {
            return nil
        }
        return trace
    }

    private static func hasHyphens(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return field[2] == hyphen && field[35] == hyphen && field[52] == hyphen
    }

    private static func isOpenEnded(_ field: UnsafeBufferPointer<UInt8>) -> Bool {
        field.count == length || field[length] == UInt8(ascii: "-")
    }

    /// All zeros are no id.
    private static func isIdentifier(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        isHexadecimal(bytes) && !bytes.allSatisfy { $0 == UInt8(ascii: "0") }
    }

    private static func isHexadecimal(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0.isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0 }
    }
}
