// SPDX-License-Identifier: Apache-2.0

/// What the rules need to know about the world and about the operator's choices.
///
/// An object, so that passing them on copies nothing: there is one for as long as the process runs.
public final class CookieRules: Sendable {
    /// The public suffix list.
    public let suffixes: any PublicSuffixList
    /// The mapping of international names.
    public let names: any DomainNameMapping
    /// Whether a loopback host counts as secure without TLS, as it does in Chromium and Firefox.
    public let loopbackIsSecure: Bool
    /// How much a store holds.
    public let limits: CookieLimits

    /// The rules of a store.
    public init(
        suffixes: any PublicSuffixList, names: any DomainNameMapping,
        loopbackIsSecure: Bool = true, limits: CookieLimits = .standard
    ) {
        self.suffixes = suffixes
        self.names = names
        self.loopbackIsSecure = loopbackIsSecure
        self.limits = limits
    }

    /// Whether cookies may treat the URL's connection as secure.
    public func isSecure(_ url: CookieURL) -> Bool {
        url.isSecure || (loopbackIsSecure && url.host.isLoopback)
    }

    /// What the limits count cookies by: the registrable domain, or the host itself where there is
    /// none (an address, or a public suffix).
    public func site(of domain: [UInt8]) -> [UInt8] {
        guard !DomainMatch.isAddress(domain) else { return domain }
        return suffixes.registrableDomain(of: domain) ?? domain
    }
}
