// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Telemetry

@Suite("The text of metrics")
struct MetricsTextTests {
    private func text(_ write: (inout MetricsText) -> Void) -> String {
        var text = MetricsText()
        write(&text)
        return String(decoding: text.finish(), as: UTF8.self)
    }

    @Test("has help and type before the samples of a family")
    func family() {
        let text = text { text in
            text.add("a_total", .counter, "What it counts.", 7)
            text.family("b", .gauge, "What goes up and down.")
            text.sample("b", [("loop", "0")], -1)
            text.sample("b", [("loop", "1"), ("x", "y")], 2.5)
        }
        #expect(
            text == """
                # HELP a_total What it counts.
                # TYPE a_total counter
                a_total 7
                # HELP b What goes up and down.
                # TYPE b gauge
                b{loop="0"} -1
                b{loop="1",x="y"} 2.5

                """)
    }

    @Test("escapes what would end a label's value or the line")
    func escapes() {
        let text = text { $0.sample("a", [("l", "\"\\\n}é")], 1) }
        #expect(text == "a{l=\"\\\"\\\\\\n}é\"} 1\n")
    }

    @Test("adds the buckets of a histogram up, and gives sum and count in the metric's unit")
    func histogram() {
        let histogram = Histogram(bounds: [1_000_000, 2_000_000_000])
        for value in [1_000_000, 1_000_001, 3_000_000_000] { histogram.observe(value) }
        let text = text { text in
            text.histogramFamily("d_seconds", "Time.")
            text.histogram("d_seconds", [("r", "x")], histogram.snapshot, unit: 1_000_000_000)
        }
        #expect(
            text == """
                # HELP d_seconds Time.
                # TYPE d_seconds histogram
                d_seconds_bucket{r="x",le="0.001"} 1
                d_seconds_bucket{r="x",le="2.0"} 2
                d_seconds_bucket{r="x",le="+Inf"} 3
                d_seconds_sum{r="x"} 3.002000001
                d_seconds_count{r="x"} 3

                """)
    }

    @Test("of histograms that are added is the same as of one that observed everything")
    func sums() {
        let (one, other, both) = (
            Histogram(bounds: Histogram.sizes), Histogram(bounds: Histogram.sizes),
            Histogram(bounds: Histogram.sizes)
        )
        for value in 0..<600 {
            (value % 3 == 0 ? one : other).observe(value)
            both.observe(value)
        }
        var sum = one.snapshot
        sum.add(other.snapshot)
        #expect(sum == both.snapshot)
        #expect(sum.count == 600)
    }

    @Test("counts what many threads count")
    func threads() async {
        let row = CounterRow(count: 3)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for number in 0..<3_000 { row.add(at: number % 3) } }
            }
        }
        #expect((0..<3).map { row[$0] } == [8_000, 8_000, 8_000])
    }
}
