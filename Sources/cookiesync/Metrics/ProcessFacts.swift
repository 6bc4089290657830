// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Telemetry

/// What the kernel says about this process, under the names that every Prometheus client uses.
struct ProcessFacts {
    private var cpuSeconds = 0.0
    private var startedAt = 0.0
    private var virtualBytes = 0
    private var residentBytes = 0
    private var threads = 0
    private var openDescriptors = 0
    private var maximumDescriptors = 0

    /// The facts of this moment; what cannot be read is 0.
    static func read() -> ProcessFacts {
        var facts = ProcessFacts()
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            facts.cpuSeconds = seconds(usage.ru_utime) + seconds(usage.ru_stime)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            facts.maximumDescriptors = Int(clamping: limit.rlim_cur)
        }
        facts.openDescriptors = countDescriptors()
        facts.readStatus()
        return facts
    }

    func append(to text: inout MetricsText) {
        text.family(
            "process_cpu_seconds_total", .counter, "Processor time that the process has used.")
        text.sample("process_cpu_seconds_total", [], cpuSeconds)
        text.family(
            "process_start_time_seconds", .gauge, "When the process began, in seconds since 1970.")
        text.sample("process_start_time_seconds", [], startedAt)
        text.add(
            "process_virtual_memory_bytes", .gauge, "Size of the address space in use.",
            virtualBytes)
        text.add(
            "process_resident_memory_bytes", .gauge, "Memory that the process occupies.",
            residentBytes)
        text.add("process_threads", .gauge, "Threads of the process.", threads)
        text.add("process_open_fds", .gauge, "Descriptors that are open.", openDescriptors)
        text.add("process_max_fds", .gauge, "Descriptors that may be open.", maximumDescriptors)
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
    }

    /// Reads `/proc/self/stat`: after the name in parentheses come fields in a fixed order.
    private mutating func readStatus() {
        guard let text = try? File.read("/proc/self/stat", limit: 4_096),
            let end = text.lastIndex(of: UInt8(ascii: ")"))
        else { return }
        let fields = text[(end + 1)...].split(separator: UInt8(ascii: " "))
            .map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
        guard fields.count > 21 else { return }
        threads = fields[17]
        virtualBytes = fields[20]
        residentBytes = fields[21] * Int(sysconf(Int32(_SC_PAGESIZE)))
        startedAt = Self.bootTime() + Double(fields[19]) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// When the machine was started, by the clocks of now.
    private static func bootTime() -> Double {
        var (real, sinceBoot) = (timespec(), timespec())
        clock_gettime(CLOCK_REALTIME, &real)
        clock_gettime(CLOCK_BOOTTIME, &sinceBoot)
        let milliseconds =
            (real.tv_sec - sinceBoot.tv_sec) * 1_000
            + (real.tv_nsec - sinceBoot.tv_nsec) / 1_000_000
        return Double(milliseconds) / 1_000
    }

    private static func countDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1  // the one that reads
    }
}
