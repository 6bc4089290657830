// SPDX-License-Identifier: Apache-2.0

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

    /// What `/proc/self/cmdline` holds: each argument ends with a NUL.
    ///
    /// Where it cannot be read, there is no other source.
    private static func fromKernel() -> [String] {
        guard var text = try? File.read("/proc/self/cmdline", limit: 1 << 21) else { return [] }
        if text.last == 0 { text.removeLast() }
        return text.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
    }
}
