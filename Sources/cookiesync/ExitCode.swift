// SPDX-License-Identifier: Apache-2.0

/// What the process tells whoever started it; the numbers are those of sysexits.h.
enum ExitCode: Int32 {
    /// Done, or stopped as asked.
    case success = 0
    /// The command line makes no sense: no such verb, or a stray argument.
    case usage = 64
    /// Data are damaged, or were written by a newer version, or what was named is no backup; or a service refused what
    /// it was given, such as the name of a backup that there is.
    case damaged = 65
    /// A file to be read is not there or cannot be read.
    case noInput = 66
    /// The service that was asked about does not answer, or is not well.
    case unavailable = 69
    /// The operating system refused something, such as the address to listen on.
    case system = 71
    /// Another process holds the data directory.
    case locked = 73
    /// What was asked for could not be written.
    case output = 74
    /// The service cannot answer now; try again later.
    case temporary = 75
    /// The token is missing, unknown, or not enough for the call.
    case denied = 77
    /// A setting is unknown, malformed, out of range, or names something unusable.
    case configuration = 78
}

/// A reason not to go on, with the line that says it and the code to exit with.
///
/// The line names what to change. It never repeats the value of a setting: what ended up there by mistake may be
/// a secret.
struct Failure: Error {
    let code: ExitCode
    let message: String

    init(_ code: ExitCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
