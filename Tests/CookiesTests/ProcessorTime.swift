// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Measures work by the processor time of the thread, so that a busy machine fails no test.
enum ProcessorTime {
    /// The seconds that the body takes.
    static func seconds(of body: () throws -> Void) rethrows -> Double {
        let start = now()
        try body()
        return now() - start
    }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
