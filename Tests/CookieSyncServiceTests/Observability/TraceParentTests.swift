// SPDX-License-Identifier: Apache-2.0

import Locks
import Testing

@testable import CookieSyncService

@Suite("traceparent")
struct TraceParentTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    private func traceID(_ field: String) -> String? {
        Array(field.utf8).withUnsafeBufferPointer { bytes in
            TraceParent.traceID(bytes).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    @Test(
        "gives its trace's id",
        arguments: [
            "00-\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7-ff",
            "01-\(trace)-00f067aa0ba902b7-00", "cc-\(trace)-00f067aa0ba902b7-00-what-comes-later",
        ])
    func valid(field: String) { #expect(traceID(field) == Self.trace) }

    @Test(
        "is passed over when it is not valid",
        arguments: [
            "", "00", "00-\(trace)-00f067aa0ba902b7", "00-\(trace)-00f067aa0ba902b7-1",
            "00-\(trace)-00f067aa0ba902b7-01-", "00-\(trace)-00f067aa0ba902b7-01-more",
            "ff-\(trace)-00f067aa0ba902b7-01", "0-\(trace)-00f067aa0ba902b7-001",
            "00-\(trace.uppercased())-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-\(trace)-0000000000000000-01", "00-\(trace)-00f067aa0ba902bg-01",
            "00_\(trace)-00f067aa0ba902b7-01", "00-\(trace)-00f067aa0ba902b7_01",
            "01-\(trace)-00f067aa0ba902b7-00x", "00-\"\(trace.dropFirst())-00f067aa0ba902b7-01",
        ])
    func invalid(field: String) { #expect(traceID(field) == nil) }
}

@Suite("What is logged of failures")
struct TroubleLogTests {
    @Test("is one of each type in ten seconds, and how many were not")
    func limit() {
        let now = Locked(100)
        let log = TroubleLog { now.withLock { $0 } }
        #expect(log.admit(.unavailable) == 0)
        #expect(log.admit(.busy) == 0)
        for _ in 0..<5 { #expect(log.admit(.unavailable) == nil) }
        now.withLock { $0 = 109 }
        #expect(log.admit(.unavailable) == nil)
        now.withLock { $0 = 110 }
        #expect(log.admit(.unavailable) == 6)
        #expect(log.admit(.unavailable) == nil)
        #expect(log.admit(.busy) == 0)
    }
}
