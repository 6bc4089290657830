// SPDX-License-Identifier: Apache-2.0

/// Domain matching (section 5.1.3) on canonical hosts.
enum DomainMatch {
    /// Whether `host` is `domain` or lies below it.
    ///
    /// Addresses have nothing below them.
    static func matches(host: [UInt8], domain: [UInt8]) -> Bool {
        if host.count == domain.count { return host == domain }
        guard host.count > domain.count, !domain.isEmpty, !isAddress(host) else { return false }
        return host[host.count - domain.count - 1] == ASCII.dot
            && host.suffix(domain.count).elementsEqual(domain)
    }

    /// Whether a canonical host is an address: names never end in a number or a bracket.
    static func isAddress(_ host: [UInt8]) -> Bool {
        guard let last = host.last else { return false }
        guard ASCII.isDigit(last) else { return last == UInt8(ascii: "]") }
        let label = host.lastIndex(of: ASCII.dot).map { host[($0 + 1)...] } ?? host[...]
        return label.allSatisfy(ASCII.isDigit)
    }
}
