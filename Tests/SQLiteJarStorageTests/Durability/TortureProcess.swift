// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The helper that writes until it is killed, as a process of its own, and what it has said.
final class TortureProcess {
    private let process: pid_t
    private let output: Int32

    /// Starts the helper, which lies beside the tests.
    init(dataDirectory: String) throws {
        var pipes: [Int32] = [0, 0]
        try Self.check(pipe(&pipes))
        for end in pipes { try Self.check(fcntl(end, F_SETFD, FD_CLOEXEC)) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes[1], 1)
        let path = try Self.helperPath()
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), strdup(dataDirectory), nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(&process, path, &actions, nil, &arguments, environ)
        close(pipes[1])
        output = pipes[0]
        self.process = process
        guard code == 0 else { throw TortureError(errno: code) }
    }

    deinit { close(output) }

    /// Reads what the helper says for that long, from its start or from its first answer on; kills it, and reads the
    /// rest.
    func run(milliseconds: Int32, fromFirstAnswer: Bool) throws -> [Acknowledgement] {
        var text: [UInt8] = []
        var ready = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
        if fromFirstAnswer { poll(&ready, 1, 30_000) }
        let end = Self.now() + Int64(milliseconds)
        while true {
            let left = end - Self.now()
            guard left > 0, poll(&ready, 1, Int32(left)) > 0 else { break }
            guard Self.readMore(output, &text) else { break }
        }
        kill(process, SIGKILL)
        while Self.readMore(output, &text) {}
        var status: Int32 = 0
        try Self.check(waitpid(process, &status, 0))
        // Killed, and not ended by itself before.
        guard status & 0x7F == SIGKILL else { throw TortureError(errno: status) }
        return Acknowledgement.parse(text)
    }

    private static func readMore(_ file: Int32, _ text: inout [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(file, &buffer, buffer.count)
        guard count > 0 else { return false }
        text += buffer.prefix(count)
        return true
    }

    private static func helperPath() throws -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.bindMemory(to: CChar.self).baseAddress.map {
                readlink("/proc/self/exe", $0, bytes.count)
            } ?? -1
        }
        try check(Int32(count < 0 ? -1 : 0))
        let path = String(decoding: buffer.prefix(count), as: UTF8.self)
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        return "/\(folder)/StorageTortureHelper"
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }

    private static func check(_ code: Int32) throws {
        guard code >= 0 else { throw TortureError(errno: errno) }
    }
}

/// A system call failed, or the helper ended by itself.
struct TortureError: Error {
    let errno: Int32
}

/// One write that the helper was told is durable.
struct Acknowledgement {
    let jar: String
    let count: Int
    let revision: UInt64

    /// The lines that are whole.
    static func parse(_ text: [UInt8]) -> [Acknowledgement] {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.removeLast()
        return lines.compactMap { line in
            let parts = String(decoding: line, as: UTF8.self).split(separator: " ")
            guard parts.count == 3, let count = Int(parts[1]), let revision = UInt64(parts[2])
            else { return nil }
            return Acknowledgement(jar: String(parts[0]), count: count, revision: revision)
        }
    }
}
