// SPDX-License-Identifier: Apache-2.0

/// Why a cookie was refused: a closed list, one case per rule, each documented in docs/cookies.md.
///
/// The raw value is the reason's name in the API.
public enum CookieRejection: String, Error, Hashable, Sendable, CaseIterable {
    /// A control character other than TAB in the line (section 5.6 step 1).
    case controlCharacter = "control-character"
    /// Neither a name nor a value (section 5.7 step 2).
    case emptyCookie = "empty-cookie"
    /// Name plus value exceed 4096 octets (section 5.6 step 5).
    case nameValueTooLong = "name-value-too-long"
    /// A nameless cookie whose value imitates a name prefix (section 5.7 step 22).
    case namelessPrefix = "nameless-prefix"
    /// The Domain attribute is not a host name (section 5.7 step 8, layered cookies).
    case invalidDomain = "invalid-domain"
    /// The Domain attribute does not domain-match the host (section 5.7 step 10).
    case domainMismatch = "domain-mismatch"
    /// The Domain attribute is a public suffix (section 5.7 step 9).
    case publicSuffix = "public-suffix"
    /// A Secure cookie over a connection that is not secure (section 5.7 step 13).
    case secureRequired = "secure-required"
    /// A cookie from an insecure origin would overlay a Secure one (section 5.7 step 16).
    case secureOverlay = "secure-overlay"
    /// An HttpOnly cookie set by a script (section 5.7 step 15).
    case httpOnlyFromScript = "http-only-from-script"
    /// A script tried to overwrite an HttpOnly cookie (section 5.7 step 23).
    case httpOnlyOverwrite = "http-only-overwrite"
    /// A SameSite cookie set from a cross-site context (section 5.7 step 18).
    case sameSiteCrossSite = "same-site-cross-site"
    /// SameSite=None without Secure (section 5.7 step 19).
    case sameSiteNoneInsecure = "same-site-none-insecure"
    /// The requirements of `__Secure-` are not met (section 5.7 step 20).
    case securePrefix = "secure-prefix"
    /// The requirements of `__Host-` are not met (section 5.7 step 21).
    case hostPrefix = "host-prefix"
    /// The requirements of `__Http-` are not met (layered cookies).
    case httpPrefix = "http-prefix"
    /// The requirements of `__Host-Http-` are not met (layered cookies).
    case hostHttpPrefix = "host-http-prefix"
    /// Partitioned without Secure (CHIPS).
    case partitionedInsecure = "partitioned-insecure"
    /// The name is not usable in a finished cookie (PUT): empty together with the value, or holding
    /// `=`, `;` or a CTL.
    case invalidName = "invalid-name"
    /// The value is not usable in a finished cookie (PUT): holding `;` or a CTL.
    case invalidValue = "invalid-value"
    /// The path of a finished cookie (PUT) does not start with `/`, or holds `;` or a CTL.
    case invalidPath = "invalid-path"
    /// The path or the domain exceeds 1024 octets (finished cookies; in a header such an attribute
    /// is ignored).
    case attributeTooLong = "attribute-too-long"
    /// The partition key is not a site.
    case invalidPartitionKey = "invalid-partition-key"
    /// A finished cookie (PUT) that is expired already.
    case alreadyExpired = "already-expired"
    /// The store's accept policy refuses it.
    case acceptPolicy = "accept-policy"
    /// The domain of a finished cookie is an address that belongs to more than one host (design section 2.5).
    case ambiguousHost = "ambiguous-host"
}
