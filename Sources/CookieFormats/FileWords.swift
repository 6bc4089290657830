// SPDX-License-Identifier: Apache-2.0

import Cookies

// How files write what is no text: truth values, whole numbers, and hosts.

/// A truth value as text.
enum FileFlag {
    /// What a word in any case says; nil for another word.
    ///
    /// Nothing is false: it is what writers without a truth value leave.
    static func parse(_ text: [UInt8]) -> Bool? {
        switch String(decoding: text, as: UTF8.self).lowercased() {
        case "true", "yes", "1": true
        case "", "false", "no", "0": false
        default: nil
        }
    }

    /// What a number says; nil for another one.
    static func parse(_ number: Double) -> Bool? {
        number == 0 || number == 1 ? number == 1 : nil
    }
}

/// A number that stands where a text should.
enum WholeNumber {
    /// Its text; nil for one with a fraction, or so large that other numbers may have been meant.
    static func text(_ number: Double) -> [UInt8]? {
        guard abs(number) < 9_007_199_254_740_992 else { return nil }
        return Int64(exactly: number).map { Array(String($0).utf8) }
    }
}

/// A host as files have it.
enum FileHost {
    /// The host without a port, which wget and people add to it: cookies do not know ports.
    static func withoutPort(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
        guard let colon = text.lastIndex(of: UInt8(ascii: ":")) else { return Array(text) }
        let (host, port) = (text[..<colon], text[text.index(after: colon)...])
        let isPort =
            1...5 ~= port.count && port.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
        // An address of IPv6 has its colons within brackets.
        let isHost = !host.contains(UInt8(ascii: ":")) || host.last == UInt8(ascii: "]")
        return isPort && isHost ? Array(host) : Array(text)
    }
}

extension SameSite {
    /// What a word in any case says, in those of the attribute or of browsers' extensions.
    ///
    /// An unknown word is no attribute, as in a Set-Cookie line.
    init(word: [UInt8]) {
        switch String(decoding: word, as: UTF8.self).lowercased() {
        case "no_restriction", "none": self = .none
        case "lax": self = .lax
        case "strict": self = .strict
        default: self = .unset
        }
    }
}
