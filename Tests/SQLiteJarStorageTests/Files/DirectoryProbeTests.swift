// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The probe of the data directory")
struct DirectoryProbeTests {
    @Test("finds a fault, finds that it is over, and leaves one file")
    func probes() throws {
        let directory = try TemporaryDirectory()
        let place = directory.file("data")
        let probe = DirectoryProbe(path: "\(place)/probe")
        #expect(probe.fault == nil)
        probe.run()
        #expect(probe.fault == .unavailable)
        try FileSystem.makeDirectory(place)
        for _ in 0..<2 { probe.run() }
        #expect(probe.fault == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["probe"])
    }

    @Test("is asked for after a fault that may be the disk's alone")
    func isAskedFor() throws {
        let faults = FaultRegister()
        let tenant = try #require(TenantID("acme".utf8))
        for (error, suggests) in [
            (JarStorageError.corrupt, false), (.full, false), (.readOnly, true),
            (.unavailable, true),
        ] {
            _ = faults.set(error, for: tenant)
            #expect(faults.suggestsDisk == suggests)
        }
        faults.clear(tenant)
        #expect(!faults.suggestsDisk)
    }
}
