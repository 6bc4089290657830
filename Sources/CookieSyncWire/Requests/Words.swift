// SPDX-License-Identifier: Apache-2.0

/// How a request relates to the site that caused it; `SameSiteContext` in openapi.yaml.
public enum SameSiteContextWord: String, Sendable, CaseIterable {
    /// From the same site.
    case strict
    /// A top-level navigation from another site by a safe method.
    case lax
    /// A top-level navigation from another site by an unsafe method.
    case laxUnsafe = "lax-unsafe"
    /// Any other request from another site.
    case crossSite = "cross-site"
}

/// A cookie's SameSite attribute; `SameSite` in openapi.yaml.
public enum SameSiteWord: String, Sendable, CaseIterable {
    /// `SameSite=Strict`.
    case strict
    /// `SameSite=Lax`.
    case lax
    /// `SameSite=None`.
    case none
}

/// How a store is synced to another.
public enum SyncModeWord: String, Sendable, CaseIterable {
    /// The newer version wins; cookies that only the target has stay.
    case merge
    /// The target ends exactly as the source.
    case mirror
    /// Both ends converge.
    case twoWay = "two-way"
}

/// How a store finds the cookies of a request; `HostMatching` in openapi.yaml.
public enum HostMatchingWord: String, Sendable, CaseIterable {
    /// As RFC 6265bis says.
    case rfc6265
    /// Also where the host ends with the cookie's domain; unsafe.
    case hostSuffix = "host_suffix"
    /// Also where the host contains the cookie's domain; unsafe.
    case hostContains = "host_contains"
}

/// Whose cookies a store takes; `AcceptPolicy` in openapi.yaml.
public enum AcceptPolicyWord: String, Sendable, CaseIterable {
    /// Every one that the rules allow.
    case always
    /// None.
    case never
    /// Those of the main document's site.
    case onlyFromMainDocument = "only_from_main_document"
}

/// Why no script can set a cookie; `NativeSetReason` in openapi.yaml.
public enum NativeSetReasonWord: String, Sendable, CaseIterable {
    /// It is HttpOnly, as all cookies are whose name begins with `__Http-` or `__Host-Http-`.
    case httpOnly = "http-only"
    /// Its name, value or path is not UTF-8.
    case notUTF8 = "not-utf-8"
    /// Browsers take it from no script: a TAB in its name or value, or an `=` in the value of a cookie without a name.
    case syntax
    /// Its path or domain cannot stand in an attribute.
    case attributes
}

/// What a token may do.
public enum ScopeWord: String, CaseIterable, Sendable {
    case read
    case write
    case values
    case feed
    case admin
    case metrics
}
