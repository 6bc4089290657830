// SPDX-License-Identifier: Apache-2.0

import Cookies
import Glibc
import Testing

@Suite("What a fetch costs")
struct AllocationTests {
    @Test(
        "The header is appended without a heap allocation",
        .enabled(if: HeapWatch.canSee, "a sanitizer has a heap of its own"))
    func header() async {
        // In a process of its own: elsewhere other tests allocate at the same time.
        await #expect(processExitsWith: .success) {
            var jar = TestJar(try World.rules())
            for index in 0..<20 {
                let line = "name\(index)=value\(index); Domain=example.com; Path=/a/b; Secure"
                try jar.receive(line, from: "https://www.example.com/")
            }
            let request = RequestContext(url: try World.url("https://www.example.com/a/b/c"))
            var output: [UInt8] = []
            output.reserveCapacity(4096)
            func fetch() -> Int {
                output.removeAll(keepingCapacity: true)
                let summary = jar.store.appendCookieHeader(
                    for: request, rules: jar.rules, now: jar.now, to: &output)
                return summary.count
            }
            // A build that is not optimised makes a few boxes for the whole walk, but nothing for each cookie.
            var allowed = 0
            #if DEBUG
                allowed = 480
            #endif
            // The first time, the runtime makes what it keeps.
            #expect(fetch() == 20)
            let growth = HeapWatch.growth { _ = fetch() }
            #expect(growth <= allowed, "\(growth) bytes")
            var copy: [UInt8] = []
            #expect(HeapWatch.growth { copy = output + output } > 0, "the watch sees nothing")
            #expect(copy.count == 2 * output.count)
        }
    }
}

/// Sees allocations, also those that are given back at once.
private enum HeapWatch {
    /// Whether the heap is glibc's: a sanitizer brings another one.
    static var canSee: Bool {
        dlsym(nil, "__tsan_init") == nil && dlsym(nil, "__asan_init") == nil
    }

    private typealias Report = @convention(c) (CInt, UnsafeMutablePointer<FILE>?) -> CInt

    /// By how many bytes the heap grows meanwhile.
    ///
    /// glibc keeps small blocks that are given back in a cache of the thread, and counts those as used. The cache is
    /// emptied first, so that each block has to come out of the heap proper.
    static func growth(during body: () -> Void) -> Int {
        var held: [UnsafeMutableRawPointer?] = []
        held.reserveCapacity(64 * 16)
        var texts = [[UInt8]](repeating: [UInt8](repeating: 0, count: 65_536), count: 2)
        guard let file = tmpfile(), let symbol = dlsym(nil, "malloc_info") else { return 0 }
        let report = unsafeBitCast(symbol, to: Report.self)
        read(report, file, into: &texts[0])
        for size in stride(from: 8, through: 1032, by: 16) {
            for _ in 0..<16 { held.append(malloc(size)) }
        }
        read(report, file, into: &texts[0])
        body()
        read(report, file, into: &texts[1])
        for block in held { free(block) }
        fclose(file)
        return used(texts[1]) - used(texts[0])
    }

    /// Reads glibc's report on its heaps, allocating nothing once the file has its buffer.
    private static func read(
        _ report: Report, _ file: UnsafeMutablePointer<FILE>, into text: inout [UInt8]
    ) {
        rewind(file)
        ftruncate(fileno(file), 0)
        _ = report(0, file)
        rewind(file)
        let count = fread(&text, 1, text.count - 1, file)
        text[count] = 0
    }

    /// What all heaps have of the system, less what is free in them: the last numbers of the report.
    private static func used(_ report: [UInt8]) -> Int {
        let text = String(decoding: report.prefix { $0 != 0 }, as: UTF8.self)
        func last(_ mark: String) -> Int {
            let line = text.split(separator: "\n").last { $0.hasPrefix(mark) } ?? ""
            let size = line.split(separator: "size=\"").last?.prefix { $0.isNumber }
            return size.flatMap { Int($0) } ?? 0
        }
        return last("<system type=\"current\"") - last("<total type=\"fast\"")
            - last("<total type=\"rest\"")
    }
}
