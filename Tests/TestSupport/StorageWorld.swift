// SPDX-License-Identifier: Apache-2.0

public import Cookies
public import JarStorage

/// A small world for tests of storage: rules without files, times, names, cookies.
public enum StorageWorld {
    /// A time to start from.
    public static let start = Timestamp(seconds: 1_800_000_000)

    /// The rules, with a suffix list of `com`, `example` and `co.uk`.
    public static let rules = CookieRules(suffixes: FewSuffixes(), names: PlainNames())

    /// A host by its text.
    public static func host(_ text: String) -> Host? {
        Host(Array(text.utf8), names: PlainNames())
    }

    /// A host and its addresses by their texts, which must be valid ones.
    public static func record(_ name: String, _ addresses: [String]) -> HostRecord {
        let hosts = addresses.compactMap(host)
        guard let host = host(name), hosts.count == addresses.count else {
            preconditionFailure("invalid host")
        }
        return HostRecord(host: host, addresses: hosts)
    }

    /// A standing sync by its names, which must be valid ones.
    public static func rule(
        _ name: String, from: String, to: String, mode: SyncMode = .merge,
        filter: SyncFilter = SyncFilter()
    ) -> SyncRule {
        guard let name = SyncRuleID(name.utf8), let from = StorePattern(Array(from.utf8)) else {
            preconditionFailure("invalid rule")
        }
        return SyncRule(name: name, from: from, to: store(to), mode: mode, filter: filter)
    }

    /// A store by its name, which must be a valid one.
    public static func store(_ name: String) -> StoreID {
        guard let store = StoreID(name.utf8) else { preconditionFailure("invalid store name") }
        return store
    }

    /// A jar by its name, which must be a valid one.
    public static func address(_ jar: String, of tenant: String = "acme") -> JarAddress {
        guard let tenant = TenantID(tenant.utf8), let jar = JarID(jar.utf8) else {
            preconditionFailure("invalid name")
        }
        return JarAddress(tenant: tenant, jar: jar)
    }

    /// A finished cookie of `www.example.com`, or of another domain.
    public static func cookie(
        _ name: String, _ value: String, domain: String = "www.example.com",
        partitionKey: String? = nil, expires: Timestamp? = nil, secure: Bool = false
    ) -> FinishedCookie {
        FinishedCookie(
            name: Array(name.utf8), value: Array(value.utf8), domain: Array(domain.utf8),
            secure: secure || partitionKey != nil,
            partitionKey: partitionKey.map { Array($0.utf8) },
            expires: expires)
    }

    /// The identity that such a cookie gets.
    public static func identity(
        _ name: String, domain: String = "www.example.com", partitionKey: String? = nil
    ) -> CookieIdentity {
        let isWide = domain.hasPrefix(".")
        return CookieIdentity(
            name: Array(name.utf8), domain: Array((isWide ? domain.dropFirst() : domain[...]).utf8),
            hostOnly: !isWide, path: [0x2F], partitionKey: partitionKey.map { Array($0.utf8) })
    }
}

/// A list of three suffixes.
private struct FewSuffixes: PublicSuffixList {
    private static let suffixes: [[UInt8]] = ["com", "example", "co.uk"].map { Array($0.utf8) }

    func isPublicSuffix(_ name: [UInt8]) -> Bool {
        Self.suffixes.contains(name) || !name.contains(UInt8(ascii: "."))
    }

    func registrableDomain(of name: [UInt8]) -> [UInt8]? {
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        for count in 1...max(1, labels.count) {
            let candidate = Array(labels.suffix(count).joined(separator: [UInt8(ascii: ".")]))
            if !isPublicSuffix(candidate) { return candidate }
        }
        return nil
    }
}

/// Leaves names as they are.
private struct PlainNames: DomainNameMapping {
    func asciiForm(of name: [UInt8]) -> [UInt8]? { name }
}
