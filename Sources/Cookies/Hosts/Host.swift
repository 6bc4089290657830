// SPDX-License-Identifier: Apache-2.0

/// A host in its one canonical form: equal hosts have equal octets.
///
/// - A name is lower-case A-labels. Names are checked as the URL standard does (its forbidden code
///   points; an underscore is fine), and more strictly in two ways, as no resolver could use them:
///   an empty label, and more than 253 octets are refused.
/// - One trailing dot is dropped: `example.com.` names the same machine as `example.com`, so both
///   share their cookies here. Browsers keep two separate sets.
/// - An IPv4 address is four decimal numbers, whatever notation it came in.
/// - An IPv6 address is the RFC 5952 text in brackets; one that an IPv4 address is mapped into (`::ffff:0:0/96`,
///   RFC 4291 section 2.5.5.2) is that IPv4 address, as it names the same machine.
/// - A name whose last label is a number and that is no IPv4 address is no host at all.
public struct Host: Hashable, Sendable {
    /// The canonical octets.
    public let bytes: [UInt8]
    /// Whether it is an IPv4 or IPv6 address.
    public let isAddress: Bool

    /// The host that this text spells, IPv6 with or without brackets; nil when it spells none.
    public init?(_ text: [UInt8], names: any DomainNameMapping) {
        let isBare = text.first != UInt8(ascii: "[") && text.contains(ASCII.colon)
        if isBare {
            guard let address = IPv6Address(text[...]) else { return nil }
            self.init(address)
        } else {
            self.init(urlHost: text[...], names: names)
        }
    }

    /// The host as it stands in a URL (already percent-decoded) or in a Domain attribute: IPv6 in
    /// brackets only.
    init?(urlHost text: ArraySlice<UInt8>, names: any DomainNameMapping) {
        if text.first == UInt8(ascii: "[") {
            guard text.last == UInt8(ascii: "]"), text.count > 2,
                let address = IPv6Address(text.dropFirst().dropLast())
            else { return nil }
            self.init(address)
            return
        }
        guard var name = Self.asciiForm(of: text, names: names) else { return nil }
        if IPv4Address.endsInNumber(name[...]) {
            guard let address = IPv4Address(name[...]) else { return nil }
            self.init(bytes: address.canonicalText, isAddress: true)
            return
        }
        if name.last == ASCII.dot { name.removeLast() }
        guard Self.isName(name) else { return nil }
        self.init(bytes: name, isAddress: false)
    }

    private init(_ address: IPv6Address) {
        if let mapped = address.mappedIPv4 {
            self.init(bytes: mapped.canonicalText, isAddress: true)
            return
        }
        let text = [UInt8(ascii: "[")] + address.canonicalText + [UInt8(ascii: "]")]
        self.init(bytes: text, isAddress: true)
    }

    private init(bytes: [UInt8], isAddress: Bool) {
        self.bytes = bytes
        self.isAddress = isAddress
    }

    /// Whether it is this machine: `localhost` and names below it, 127.0.0.0/8, `::1`.
    public var isLoopback: Bool {
        if isAddress { return bytes.starts(with: "127.".utf8) || bytes.elementsEqual("[::1]".utf8) }
        let localhost = "localhost".utf8
        guard bytes.count > localhost.count else { return bytes.elementsEqual(localhost) }
        return bytes.suffix(localhost.count).elementsEqual(localhost)
            && bytes[bytes.count - localhost.count - 1] == ASCII.dot
    }

    /// Maps a name to A-labels.
    ///
    /// Plain ASCII is only folded: libraries refuse some names there that are in use
    /// (`_dmarc.example`, `r3---sn.example`), and the URL standard lets them pass.
    private static func asciiForm(
        of text: ArraySlice<UInt8>, names: any DomainNameMapping
    ) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        let folded = ASCII.lowercased(text)
        let needsMapping = folded.contains { $0 >= 0x80 } || hasEncodedLabel(folded)
        let name = needsMapping ? names.asciiForm(of: folded) : folded
        guard let name, !name.contains(where: isForbidden) else { return nil }
        return name
    }

    private static func hasEncodedLabel(_ name: [UInt8]) -> Bool {
        var previous = ASCII.dot
        for (index, byte) in name.enumerated() {
            if previous == ASCII.dot, ASCII.hasPrefix(name[index...], "xn--") { return true }
            previous = byte
        }
        return false
    }

    private static func isName(_ name: [UInt8]) -> Bool {
        guard (1...253).contains(name.count) else { return false }
        var previous = ASCII.dot
        for byte in name {
            if byte == ASCII.dot, previous == ASCII.dot { return false }
            previous = byte
        }
        return previous != ASCII.dot
    }

    /// The URL standard's forbidden domain code points.
    private static func isForbidden(_ byte: UInt8) -> Bool {
        if byte <= 0x20 || byte >= 0x7F { return true }
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"),
            UInt8(ascii: "["), UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"),
            UInt8(ascii: "|"):
            return true
        default:
            return false
        }
    }
}
