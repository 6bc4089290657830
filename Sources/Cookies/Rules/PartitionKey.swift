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
}
