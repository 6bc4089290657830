// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The arguments that the process was started with.
///
/// The standard library finds them on the stack, next to the environment. When a preloaded library has moved the
/// environment (libfaketime does), it finds none; the kernel still knows them.
enum CommandLineArguments {
    /// The arguments without the program's name.
    static func current() -> [String] {
        let found = CommandLine.arguments
        return Array((found.isEmpty ? fromKernel() : found).dropFirst())
    }

    /// Each argument ends with a NUL in `/proc/self/cmdline`.
    private static func fromKernel() -> [String] {
        let descriptor = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            text += chunk[..<count]
        }
        if text.last == 0 { text.removeLast() }
        return text.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
