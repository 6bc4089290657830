// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import FoundationEssentials
import Glibc
import Locks
import TestSupport
import Testing

@testable import AuditLog

@Suite("The audit log")
struct AuditTrailTests {
    private let directory: TemporaryDirectory
    private let key: AuditKey

    init() throws {
        directory = try TemporaryDirectory()
        key = try #require(AuditKey(secret: Array(repeating: 7, count: 32)))
    }

    private var path: String { directory.file("audit.log") }

    private func open(_ maximumBytes: Int = 1 << 20) throws -> AuditTrail {
        try AuditTrail(path: path, key: key, maximumBytes: maximumBytes, now: 0)
    }

    private func append(_ count: Int, to trail: AuditTrail) async -> [Bool] {
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<count {
                group.addTask {
                    await withCheckedContinuation { done in
                        var record = AuditRecord(
                            at: Int64(index), action: "putTenant", actor: "admin", requestID: "r",
                            source: "127.0.0.1", status: 201)
                        record.tenant = Array("acme".utf8)
                        trail.append(record) { done.resume(returning: $0) }
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private func lines() throws -> [[UInt8]] {
        try Array(Data(contentsOf: URL(filePath: path))).split(separator: 0x0A).map(Array.init)
    }

    private func write(_ lines: [[UInt8]]) throws {
        try Data(lines.flatMap { $0 + [0x0A] }).write(to: URL(filePath: path))
    }

    @Test("is lines of JSON that are on disk when the caller goes on")
    func lineForm() async throws {
        let trail = try open()
        #expect(await append(3, to: trail) == [true, true, true])
        let lines = try lines()
        #expect(lines.count == 3)
        for (index, line) in lines.enumerated() {
            let members = try JSONDocument(parsing: line).root.members().map(\.name)
            #expect(
                members.map { String(decoding: $0, as: UTF8.self) } == [
                    "seq", "prev", "at", "action", "actor", "request_id", "source", "tenant",
                    "status", "mac",
                ])
            #expect(String(decoding: line, as: UTF8.self).hasPrefix(#"{"seq":\#(index + 1),"#))
        }
        var status = Glibc.stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        trail.close()
    }

    @Test("goes on with its chain after a restart")
    func restart() async throws {
        for _ in 0..<3 {
            let trail = try open()
            _ = await append(4, to: trail)
            trail.close()
        }
        #expect(try AuditTrail.verify(path: path, key: key) == 12)
    }

    @Test("a line that was changed, left out, doubled, moved or put in breaks it")
    func tampering() async throws {
        let trail = try open()
        _ = await append(5, to: trail)
        trail.close()
        let lines = try lines()
        var changed = lines
        let digit = try #require(changed[2].firstIndex(of: UInt8(ascii: "7")))
        changed[2][digit] = UInt8(ascii: "8")
        var moved = lines
        moved.swapAt(1, 2)
        var forged = lines
        forged.insert(Array("{}".utf8), at: 2)
        var shorter = lines
        shorter.remove(at: 1)
        var doubled = lines
        doubled.insert(lines[1], at: 2)
        let versions: [(String, [[UInt8]])] = [
            ("changed", changed), ("left out", shorter), ("doubled", doubled), ("moved", moved),
            ("forged", forged), ("cut off in front", Array(lines.dropFirst())),
        ]
        for (name, broken) in versions {
            try write(broken)
            #expect(throws: AuditLogError.self, "\(name)") {
                try AuditTrail.verify(path: path, key: key)
            }
            #expect(throws: AuditLogError.self, "\(name)") { try open() }
        }
        let other = try #require(AuditKey(secret: [1]))
        try write(lines)
        #expect(throws: AuditLogError.broken(path: path, line: 1)) {
            try AuditTrail.verify(path: path, key: other)
        }
        #expect(try AuditTrail.verify(path: path, key: key) == 5)
    }

    @Test("a line of another log with the same key does not continue it, though its number would")
    func splice() async throws {
        var logs: [[[UInt8]]] = []
        for actor in ["first", "second"] {
            unlink(path)
            let trail = try open()
            for _ in 0..<2 {
                _ = await withCheckedContinuation { done in
                    trail.append(AuditRecord(at: 0, action: "putTenant", actor: actor)) {
                        done.resume(returning: $0)
                    }
                }
            }
            trail.close()
            logs.append(try lines())
        }
        try write([logs[0][0], logs[1][1]])
        #expect(throws: AuditLogError.broken(path: path, line: 2)) {
            try AuditTrail.verify(path: path, key: key)
        }
    }

    @Test("a last line that was cut short is removed, and that is written down")
    func tornLine() async throws {
        let trail = try open()
        _ = await append(2, to: trail)
        trail.close()
        let size = try Data(contentsOf: URL(filePath: path)).count
        truncate(path, off_t(size - 20))
        let again = try open()
        _ = await append(1, to: again)
        again.close()
        #expect(try AuditTrail.verify(path: path, key: key) == 3)
        #expect(
            String(decoding: try lines()[1], as: UTF8.self).contains(#""action":"auditRecovered""#))
    }

    @Test("full files are named after their last line, and the chain goes through all of them")
    func rotation() async throws {
        let trail = try open(400)
        for _ in 0..<10 { _ = await append(1, to: trail) }
        trail.close()
        let files = AuditFiles(path: path).fullPaths()
        #expect(files.count >= 3)
        #expect(try AuditTrail.verify(path: path, key: key) == 10)
        // What is archived elsewhere is no break; a file that is missing in between is one.
        unlink(files[0])
        #expect(try AuditTrail.verify(path: path, key: key) == 10)
        unlink(files[2])
        #expect(throws: AuditLogError.self) { try AuditTrail.verify(path: path, key: key) }
    }

    @Test("keeps what it could not write, says so, and writes it once it can")
    func obstacle() async throws {
        // Each line fills the file, and what it is to be renamed to is in the way.
        let trail = try open(1)
        _ = await append(1, to: trail)
        let obstacle = AuditFiles(path: path).fullPath(sequence: 1)
        mkdir(obstacle, 0o700)
        #expect(await append(2, to: trail) == [false, false])
        #expect(trail.isStopped)
        rmdir(obstacle)
        while trail.isStopped { try await Task.sleep(for: .milliseconds(10)) }
        #expect(await append(1, to: trail) == [true])
        trail.close()
        #expect(try AuditTrail.verify(path: path, key: key) == 4)
    }

    @Test("names that could break a line are made visible and cut")
    func names() async throws {
        let trail = try open()
        var record = AuditRecord(at: 0, action: "deleteJar", actor: "a")
        record.jar = Array("a\n\u{1B}[31m\u{2028}".utf8) + [UInt8](repeating: 0x78, count: 10_000)
        let entry = record
        _ = await withCheckedContinuation { done in
            trail.append(entry) { done.resume(returning: $0) }
        }
        trail.close()
        let line = try lines()[0]
        #expect(line.count < 600 && line.allSatisfy { 0x20..<0x7F ~= $0 })
        #expect(String(decoding: line, as: UTF8.self).contains(#""jar":"a??[31m???xxx"#))
    }

    @Test("a record that comes after the end is not taken")
    func closed() async throws {
        let trail = try open()
        trail.close()
        #expect(await append(1, to: trail) == [false])
    }
}
