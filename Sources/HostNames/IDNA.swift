// SPDX-License-Identifier: Apache-2.0

internal import CIDN2
public import Cookies

/// International host names through libidn2: UTS 46, non-transitional, as the URL standard asks.
public struct IDNA: DomainNameMapping {
    /// The mapping; it has no state.
    public init() {}

    /// The lower-case A-labels of a name given as UTF-8, or nil when it has none (a label that no one may
    /// register, bad Punycode, octets that are not UTF-8).
    public func asciiForm(of name: [UInt8]) -> [UInt8]? {
        guard !name.contains(0) else { return nil }
        var output: UnsafeMutablePointer<UInt8>?
        let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
        let code = idn2_lookup_u8(name + [0], &output, flags)
        guard code == IDN2_OK.rawValue, let output else { return nil }
        defer { idn2_free(output) }
        return Array(UnsafeBufferPointer(start: output, count: strlen(output)))
    }

    private func strlen(_ text: UnsafePointer<UInt8>) -> Int {
        var count = 0
        while text[count] != 0 { count += 1 }
        return count
    }
}
