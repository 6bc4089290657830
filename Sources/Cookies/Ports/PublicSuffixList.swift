// SPDX-License-Identifier: Apache-2.0

/// Knows which domains are shared by strangers, such as `co.uk` (publicsuffix.org).
///
/// Both calls take a canonical host name: lower-case A-labels, no trailing dot. They must be pure,
/// thread-safe and answer without I/O. The suite in `HostNamesTests` checks a conformer.
public protocol PublicSuffixList: Sendable {
    /// Whether the name itself is a public suffix; a single unknown label is one (the list's
    /// default rule).
    func isPublicSuffix(_ name: [UInt8]) -> Bool

    /// The public suffix plus one label (eTLD+1), or nil when the name is a public suffix itself.
    func registrableDomain(of name: [UInt8]) -> [UInt8]?
}

/// Turns a host name into its A-labels (UTS 46, as the URL standard's "domain to ASCII", not
/// strict).
///
/// Must be pure, thread-safe and answer without I/O.
public protocol DomainNameMapping: Sendable {
    /// The lower-case ASCII form of a name given as UTF-8, or nil when it has none.
    func asciiForm(of name: [UInt8]) -> [UInt8]?
}
