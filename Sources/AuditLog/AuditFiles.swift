// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why an audit log cannot be used.
public enum AuditLogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A line does not continue the chain.
    case broken(path: String, line: Int)
    /// A system call failed; `errno` says why.
    case file(path: String, errno: Int32, operation: String)
    /// A thread could not be started; `errno` says why.
    case thread(errno: Int32)

    /// The failure in one line.
    public var description: String {
        switch self {
        case .broken(let path, let line):
            "audit log \(path): the chain is broken at line \(line); keep the file, move it away and look into it"
        case .file(let path, let errno, let operation):
            "audit log \(path): \(operation): \(String(cString: strerror(errno)))"
        case .thread(let errno): "start the audit log's thread: \(String(cString: strerror(errno)))"
        }
    }
}

/// The files of an audit log: the one that is written, and beside it those that were full, each named after the number of
/// its last line.
struct AuditFiles {
    let path: String

    /// What reading a file through came to.
    struct Reading {
        var chain: AuditChain
        /// How many octets end with the last whole line.
        var length = 0
        /// How many octets come after it: a line that was being written when the process ended.
        var torn = 0
    }

    /// The name that a full file gets.
    func fullPath(sequence: Int) -> String {
        let digits = String(sequence)
        return "\(path).\(String(repeating: "0", count: max(0, 12 - digits.count)))\(digits)"
    }

    /// The full files, the oldest first.
    func fullPaths() -> [String] {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let parent = slash.map { String(path[..<$0]) } ?? "."
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        guard let directory = opendir(parent.isEmpty ? "/" : parent) else { return [] }
        defer { closedir(directory) }
        var numbers: [String] = []
        while let entry = readdir(directory) {
            let entryName = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard entryName.hasPrefix("\(name).") else { continue }
            let suffix = entryName.dropFirst(name.count + 1)
            if suffix.utf8.count >= 12, suffix.utf8.allSatisfy({ 0x30..<0x3A ~= $0 }) {
                numbers.append(String(suffix))
            }
        }
        return numbers.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }.map { "\(path).\($0)" }
    }

    /// Reads a file through and checks each of its lines.
    ///
    /// What came before it may not be at hand: then its first line's word is taken for that.
    static func read(
        _ path: String, after chain: AuditChain, isFirst: Bool
    ) throws(AuditLogError) -> Reading {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0, errno == ENOENT { return Reading(chain: chain) }
        guard descriptor >= 0 else { throw failure(path, "open") }
        defer { close(descriptor) }
        var reading = Reading(chain: chain)
        var (pending, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 16))
        var (line, start) = (0, 0)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { throw failure(path, "read") }
            if count == 0 { break }
            pending.append(contentsOf: buffer[..<count])
            while let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
                line += 1
                guard reading.chain.take(pending[start..<end], isFirst: isFirst && line == 1) else {
                    throw .broken(path: path, line: line)
                }
                reading.length += end + 1 - start
                start = end + 1
            }
            pending.removeSubrange(..<start)
            start = 0
        }
        reading.torn = pending.count
        return reading
    }

    static func failure(_ path: String, _ operation: String) -> AuditLogError {
        .file(path: path, errno: errno, operation: operation)
    }
}
