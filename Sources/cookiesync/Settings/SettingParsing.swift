// SPDX-License-Identifier: Apache-2.0

extension Setting.Kind {
    /// The value that a text stands for; nil when it is not of this kind or out of range.
    func parse(_ text: String) -> SettingValue? {
        switch self {
        case .text, .path:
            text.isEmpty || text.utf8.contains(0) ? nil : .text(text)
        case .flag:
            text == "true" ? .flag(true) : text == "false" ? .flag(false) : nil
        case .choice(let words):
            words.contains { $0.utf8.elementsEqual(text.utf8) } ? .text(text) : nil
        case .number(let range):
            Self.quantity(text, units: ["": 1], in: range)
        case .bytes(let range):
            Self.quantity(text, units: Self.byteUnits, in: range)
        case .duration(let range):
            Self.quantity(text, units: Self.durationUnits, in: range)
        }
    }

    /// What a well-formed text is, as the rest of a sentence that begins with "must be".
    var rule: String {
        switch self {
        case .text: "text that is not empty"
        case .path: "a path"
        case .flag: "true or false"
        case .choice(let words): "one of " + words.joined(separator: ", ")
        case .number(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bytes, .duration: "\(form) from \(minimum) to \(maximum)"
        }
    }

    /// How the value is written, in a word or two.
    var form: String {
        switch self {
        case .text: "text"
        case .path: "path"
        case .flag: "true, false"
        case .choice(let words): words.joined(separator: ", ")
        case .number: "number"
        case .bytes: "octets (with KiB, MiB, GiB)"
        case .duration: "time (with ms, s, m, h)"
        }
    }

    /// The smallest value, as one would write it; empty where that means nothing.
    var minimum: String { bound { $0.lowerBound } }

    /// The hard maximum, as one would write it; empty where that means nothing.
    var maximum: String { bound { $0.upperBound } }

    private func bound(_ side: (ClosedRange<Int>) -> Int) -> String {
        switch self {
        case .text, .path, .flag, .choice: ""
        case .number(let range): String(side(range))
        case .bytes(let range): Self.written(side(range), units: Self.byteUnits, smallest: "")
        case .duration(let range):
            Self.written(side(range), units: Self.durationUnits, smallest: "ms")
        }
    }

    private static let byteUnits = ["": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30]
    private static let durationUnits = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]

    /// Digits and a unit, with nothing before, between or after.
    private static func quantity(
        _ text: String, units: [String: Int], in range: ClosedRange<Int>
    ) -> SettingValue? {
        let digits = text.utf8.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        let unit = text.utf8.dropFirst(digits.count)
        guard !digits.isEmpty, digits.count <= 18, let number = Int(String(digits) ?? ""),
            let factor = units[String(unit) ?? "?"]
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: factor)
        return !overflow && range.contains(product) ? .number(product) : nil
    }

    /// The number in the largest unit that divides it.
    private static func written(_ number: Int, units: [String: Int], smallest: String) -> String {
        let fitting = units.filter { number != 0 && number % $0.value == 0 }
        guard let unit = fitting.max(by: { $0.value < $1.value }) else { return "0\(smallest)" }
        return "\(number / unit.value)\(unit.key)"
    }
}
