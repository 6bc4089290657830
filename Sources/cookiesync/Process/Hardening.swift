// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// What the process does to itself before it touches data: nothing of what it holds may reach a file that others
/// can read, a core dump or a crash report.
enum Hardening {
    static func apply() {
        umask(0o077)
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        _ = cookiesync_forbid_dumps()

        // A peer or a log reader that went away, and a file-size limit, are errors of the call, not the end.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)

        // Swift's crash reporter, where the environment asked for it, prints registers and with them parts of
        // cookie values. Its handlers are in place before `main`; the default action replaces them.
        for crash in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT] {
            signal(crash, SIG_DFL)
        }
    }
}
