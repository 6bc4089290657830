// SPDX-License-Identifier: Apache-2.0

/// How a store finds the cookies of a request (design section 2.6).
///
/// All but `rfc6265` are unsafe: they hand cookies to hosts that did not set them. They are there because the helpers
/// that apps use with HTTPDNS do so, and only widen what `rfc6265` finds. The raw value is the one that is stored.
public enum HostMatching: UInt8, Hashable, Sendable, CaseIterable {
    /// As RFC 6265bis says.
    case rfc6265 = 0
    /// Also where the host ends with the cookie's domain, be it in the middle of a label, host-only or not.
    case hostSuffix = 1
    /// Also where the host contains the cookie's domain anywhere.
    case hostContains = 2

    /// How a domain relates to a requested host, in the eyes of a store that matches so.
    ///
    /// Between addresses, or a name and an address, nothing but equality counts.
    func relation(of domain: [UInt8], to host: [UInt8]) -> DomainRelation {
        if domain == host { return .same }
        let isLoose = self != .rfc6265 && !domain.isEmpty
        if isLoose, !DomainMatch.isAddress(host), !DomainMatch.isAddress(domain),
            self == .hostSuffix
                ? host.suffix(domain.count).elementsEqual(domain)
                : Self.contains(host, domain)
        {
            return .same
        }
        return DomainMatch.matches(host: host, domain: domain) ? .parent : .unrelated
    }

    /// Complexity: O(length of both, multiplied); hosts are short.
    private static func contains(_ host: [UInt8], _ domain: [UInt8]) -> Bool {
        guard domain.count <= host.count else { return false }
        return (0...(host.count - domain.count)).contains {
            host[$0...].starts(with: domain)
        }
    }
}
