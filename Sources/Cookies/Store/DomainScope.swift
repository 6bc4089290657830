// SPDX-License-Identifier: Apache-2.0

/// The domain and host-only flag that a cookie gets (section 5.7 steps 7 to 10).
struct DomainScope {
    let domain: [UInt8]
    let hostOnly: Bool

    /// The scope of a cookie that a response of `host` sets.
    ///
    /// Where the draft and browsers part, this follows browsers: a lone dot is refused, an address
    /// as Domain gives a host-only cookie, and a domain above the host's public suffix is refused
    /// even if it is no public suffix itself.
    init(attribute: [UInt8]?, host: Host, rules: CookieRules) throws(CookieRejection) {
        guard let attribute, !attribute.isEmpty else {
            self.init(of: host, hostOnly: true)
            return
        }
        let text = attribute.first == ASCII.dot ? attribute.dropFirst() : attribute[...]
        guard text.allSatisfy({ $0 < 0x80 }), let wanted = Host(urlHost: text, names: rules.names)
        else { throw .invalidDomain }
        if wanted.isAddress || host.isAddress {
            guard wanted == host else { throw .domainMismatch }
            self.init(of: host, hostOnly: true)
            return
        }
        // `example.com.` is another text than any canonical host; browsers refuse it, too.
        if text.last == ASCII.dot { throw .domainMismatch }
        if rules.suffixes.isPublicSuffix(wanted.bytes) {
            guard wanted == host else { throw .publicSuffix }
            self.init(of: host, hostOnly: true)
            return
        }
        guard DomainMatch.matches(host: host.bytes, domain: wanted.bytes) else {
            throw .domainMismatch
        }
        guard let registrable = rules.suffixes.registrableDomain(of: host.bytes),
            wanted.bytes.count >= registrable.count
        else { throw .publicSuffix }
        self.init(of: wanted, hostOnly: false)
    }

    /// The scope that a finished cookie asks for.
    init(_ finished: FinishedCookie, rules: CookieRules) throws(CookieRejection) {
        let hasDot = finished.domain.first == ASCII.dot
        let text = hasDot ? Array(finished.domain.dropFirst()) : finished.domain
        guard let host = Host(text, names: rules.names) else { throw .invalidDomain }
        if finished.hostOnly ?? !hasDot || host.isAddress {
            self.init(of: host, hostOnly: true)
            return
        }
        guard rules.suffixes.registrableDomain(of: host.bytes) != nil else { throw .publicSuffix }
        self.init(of: host, hostOnly: false)
    }

    private init(of host: Host, hostOnly: Bool) {
        domain = host.bytes
        self.hostOnly = hostOnly
    }
}
