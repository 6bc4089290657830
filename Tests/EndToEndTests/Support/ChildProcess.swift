// SPDX-License-Identifier: Apache-2.0

import Glibc
import Locks
import Testing

/// A process of the real binary, with nothing in its environment but what the test puts there.
final class ChildProcess {
    let pid: pid_t
    let output: LineReader
    private var status: Int32?

    /// The binary of the build that the tests belong to.
    static let binary: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        let bundle = String(
            decoding: path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return bundle.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/cookiesync"
    }()

    /// Starts `cookiesync` with arguments; its two output streams come as one.
    init(_ arguments: [String], environment: [String: String] = [:]) throws {
        (pid, output) = try Self.spawning.withLock { _ in try Self.spawn(arguments, environment) }
    }

    /// One at a time: a pipe gets its close-on-exec flag only after it was made, and a process that another test
    /// starts in between would hold it open.
    private static let spawning = Locked(())

    private static func spawn(
        _ arguments: [String], _ environment: [String: String]
    ) throws -> (pid_t, LineReader) {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)

        var argv = ([binary] + arguments).map { strdup($0) } + [nil]
        var envp = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { (argv + envp).forEach { free($0) } }
        var pid = pid_t()
        let error = posix_spawn(&pid, binary, &actions, nil, &argv, &envp)
        try #require(error == 0, "cannot start \(binary)")
        return (pid, LineReader(descriptor: ends[0]))
    }

    deinit {
        guard status == nil else { return }
        Glibc.kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    func signal(_ number: Int32) { Glibc.kill(pid, number) }

    /// Waits for the end, which is seen by its output's end.
    ///
    /// - Returns: The exit code, or the negative number of the signal that ended it; and what it still had to say.
    func waitForExit(seconds: Int = 20) throws -> (code: Int32, output: String) {
        let rest = try output.readToEnd(seconds: seconds)
        var status: Int32 = 0
        try #require(waitpid(pid, &status, 0) == pid)
        self.status = status
        let signal = status & 0x7F
        return (signal == 0 ? (status >> 8) & 0xFF : -signal, rest)
    }

    /// Runs to the end: for commands that do not serve.
    static func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (code: Int32, output: String) {
        try ChildProcess(arguments, environment: environment).waitForExit()
    }
}
