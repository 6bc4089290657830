// SPDX-License-Identifier: Apache-2.0
// Prometheus' text format, version 0.0.4: for each family a HELP and a TYPE line, then its samples.
//
//     # HELP cookiesync_cache_hits_total Reads that found their jar in memory.
//     # TYPE cookiesync_cache_hits_total counter
//     cookiesync_cache_hits_total 1027

/// A document of metrics in the making.
public struct MetricsText: ~Copyable {
    /// What a family's numbers are.
    public enum Kind: String, Sendable {
        /// Only grows, and begins at 0 with the process; its name ends in `_total`.
        case counter
        /// Goes up and down.
        case gauge
    }

    /// The names and values of labels, in order; the values may be any text.
    public typealias Labels = [(name: StaticString, value: String)]

    /// The media type of the document.
    public static let contentType: StaticString = "text/plain; version=0.0.4; charset=utf-8"

    /// The document so far.
    public private(set) var bytes: [UInt8] = []

    /// An empty document.
    public init() { bytes.reserveCapacity(16 << 10) }

    /// Takes the finished document.
    public consuming func finish() -> [UInt8] { bytes }

    /// Begins a family of samples.
    public mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        head(name, help, kind == .counter ? "counter" : "gauge")
    }

    /// Adds a sample of a whole number.
    public mutating func sample(_ name: StaticString, _ labels: Labels, _ value: Int) {
        start(name, "", labels, upTo: nil)
        bytes.append(contentsOf: String(value).utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Adds a sample of a number with a fraction.
    public mutating func sample(_ name: StaticString, _ labels: Labels, _ value: Double) {
        start(name, "", labels, upTo: nil)
        bytes.append(contentsOf: "\(value)".utf8)
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Adds a family of one sample.
    public mutating func add(
        _ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Int
    ) {
        family(name, kind, help)
        sample(name, [], value)
    }

    /// Begins a family of histograms.
    public mutating func histogramFamily(_ name: StaticString, _ help: StaticString) {
        head(name, help, "histogram")
    }

    /// Adds a histogram: its buckets, sum and count.
    ///
    /// - Parameters:
    ///   - name: the family's name.
    ///   - labels: what tells it apart in its family.
    ///   - histogram: what was observed.
    ///   - unit: how many of the observed units make one of the metric's, such as 10⁹ for nanoseconds in seconds.
    public mutating func histogram(
        _ name: StaticString, _ labels: Labels, _ histogram: HistogramSnapshot, unit: Int = 1
    ) {
        var seen = 0
        for (index, count) in histogram.counts.enumerated() {
            seen += count
            let bound =
                index < histogram.bounds.count
                ? Self.text(histogram.bounds[index], per: unit) : "+Inf"
            start(name, "_bucket", labels, upTo: bound)
            bytes.append(contentsOf: "\(seen)\n".utf8)
        }
        start(name, "_sum", labels, upTo: nil)
        bytes.append(contentsOf: "\(Self.text(histogram.sum, per: unit))\n".utf8)
        start(name, "_count", labels, upTo: nil)
        bytes.append(contentsOf: "\(seen)\n".utf8)
    }

    private static func text(_ number: Int, per unit: Int) -> String {
        unit == 1 ? "\(number)" : "\(Double(number) / Double(unit))"
    }

    private mutating func head(_ name: StaticString, _ help: StaticString, _ type: StaticString) {
        bytes.append(text: "# HELP ")
        bytes.append(text: name)
        bytes.append(text: " ")
        bytes.append(text: help)
        bytes.append(text: "\n# TYPE ")
        bytes.append(text: name)
        bytes.append(text: " ")
        bytes.append(text: type)
        bytes.append(text: "\n")
    }

    private mutating func start(
        _ name: StaticString, _ suffix: StaticString, _ labels: Labels, upTo bound: String?
    ) {
        bytes.append(text: name)
        bytes.append(text: suffix)
        var opening: StaticString = "{"
        for label in labels {
            bytes.append(text: opening)
            append(label.name, label.value)
            opening = ","
        }
        if let bound {
            bytes.append(text: opening)
            append("le", bound)
            opening = ","
        }
        if !labels.isEmpty || bound != nil { bytes.append(UInt8(ascii: "}")) }
        bytes.append(UInt8(ascii: " "))
    }

    private mutating func append(_ name: StaticString, _ value: String) {
        bytes.append(text: name)
        bytes.append(text: "=\"")
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes.append(text: "\\\\")
            case UInt8(ascii: "\""): bytes.append(text: "\\\"")
            case UInt8(ascii: "\n"): bytes.append(text: "\\n")
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
