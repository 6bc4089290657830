// SPDX-License-Identifier: Apache-2.0

/// The keys of partitioned cookies (CHIPS): the schemeful site of the top-level page.
public enum PartitionKey {
    /// The canonical form of a top-level site or of any URL on it: `https://www.top.example:443/x`
    /// becomes `https://top.example`.
    ///
    /// Nil when the text is no URL that can have cookies.
    ///
    /// A host without a registrable domain stands for itself; ws and wss count as http and https.
    public static func canonical(_ text: [UInt8], rules: CookieRules) -> [UInt8]? {
        do {
            return site(of: try CookieURL(parsing: text, names: rules.names), rules: rules)
        } catch {
            return nil
        }
    }

    /// The schemeful site of a URL.
    public static func site(of url: CookieURL, rules: CookieRules) -> [UInt8] {
        let scheme = url.isSecure ? "https://" : "http://"
        return Array(scheme.utf8) + rules.site(of: url.host.bytes)
    }

    /// The key of a cookie that moves to another host: the new host's own site where it was the old one's own, else the
    /// same, as another site stays the top-level one.
    public static func moved(
        _ key: [UInt8], from old: Host, to new: Host, rules: CookieRules
    ) -> [UInt8] {
        for scheme in ["https://", "http://"] {
            guard key == Array(scheme.utf8) + rules.site(of: old.bytes) else { continue }
            return Array(scheme.utf8) + rules.site(of: new.bytes)
        }
        return key
    }
}
