// SPDX-License-Identifier: Apache-2.0

internal import CIDN2
public import Cookies

/// International host names through libidn2: UTS 46, non-transitional, as the URL standard asks.
///
/// libidn2 is stricter than the URL standard in three ways that matter for hosts in use; each is
/// made up for:
///
/// - It checks hyphens (`r3---sn`, `-x`). Labels that are plain ASCII need no mapping, so they are
///   not shown to it.
/// - In its non-transitional mode it also applies IDNA 2008, which has no symbols: `☃.net` and
///   `xn--n3h.net` would be refused although browsers go there. Its transitional mode takes them,
///   and maps everything else alike but for four code points (ß, ς and the two joiners). So a label
///   that was refused for a disallowed code point, and has none of the four, is tried again that
///   way. That mode checks no bidirectional rule; for such a label it is not checked here.
/// - It forgives nothing else; what browsers accept beyond that (a hyphen at the end of a non-ASCII
///   label) is refused.
public struct IDNA: DomainNameMapping {
    /// The mapping; it has no state.
    public init() {}

    /// The lower-case A-labels of a name given as UTF-8.
    ///
    /// - Parameter name: the name; any of the four full stops of UTS 46 separates labels.
    /// - Returns: nil when a label has no ASCII form: a code point that is in no name, bad
    ///   Punycode, octets that are not UTF-8.
    public func asciiForm(of name: [UInt8]) -> [UInt8]? {
        var ascii: [UInt8] = []
        for (index, label) in Self.labels(of: name).enumerated() {
            if index > 0 { ascii.append(UInt8(ascii: ".")) }
            guard let mapped = Self.asciiForm(label: label) else { return nil }
            ascii += mapped
        }
        return ascii
    }

    private static func asciiForm(label: [UInt8]) -> [UInt8]? {
        if label.allSatisfy({ $0 < 0x80 }), !isEncoded(label) { return lowercased(label) }
        switch lookUp(label, IDN2_NONTRANSITIONAL) {
        case .success(let mapped): return mapped
        case .failure(let error):
            guard error.code == IDN2_DISALLOWED.rawValue, !hasDeviation(label) else { return nil }
            return try? lookUp(label, IDN2_TRANSITIONAL).get()
        }
    }

    private struct LookUpError: Error {
        let code: Int32
    }

    private static func lookUp(
        _ label: [UInt8], _ mode: idn2_flags
    ) -> Result<[UInt8], LookUpError> {
        guard !label.contains(0) else {
            return .failure(LookUpError(code: IDN2_ENCODING_ERROR.rawValue))
        }
        var output: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | mode.rawValue)
        let code = idn2_lookup_u8(label + [0], &output, flags)
        guard code == IDN2_OK.rawValue, let output else {
            return .failure(LookUpError(code: code))
        }
        defer { idn2_free(output) }
        var mapped: [UInt8] = []
        while output[mapped.count] != 0 { mapped.append(output[mapped.count]) }
        return .success(mapped)
    }

    private static func isEncoded(_ label: [UInt8]) -> Bool {
        lowercased(label.prefix(4)).elementsEqual("xn--".utf8)
    }

    private static func lowercased(_ label: some Sequence<UInt8>) -> [UInt8] {
        label.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Whether one of the code points that the two modes map differently is there, in UTF-8.
    private static func hasDeviation(_ label: [UInt8]) -> Bool {
        let deviations: [[UInt8]] = [
            [0xC3, 0x9F], [0xCF, 0x82], [0xE2, 0x80, 0x8C], [0xE2, 0x80, 0x8D],
        ]
        return label.indices.contains { start in
            deviations.contains { label[start...].starts(with: $0) }
        }
    }

    /// Splits at `.` and at U+3002, U+FF0E and U+FF61, given as UTF-8.
    private static func labels(of name: [UInt8]) -> [[UInt8]] {
        let stops: [[UInt8]] = [[0xE3, 0x80, 0x82], [0xEF, 0xBC, 0x8E], [0xEF, 0xBD, 0xA1]]
        var labels: [[UInt8]] = [[]]
        var index = 0
        while index < name.count {
            let isDot = name[index] == UInt8(ascii: ".")
            if isDot || stops.contains(where: name[index...].starts) {
                labels.append([])
                index += isDot ? 1 : 3
            } else {
                labels[labels.count - 1].append(name[index])
                index += 1
            }
        }
        return labels
    }
}
