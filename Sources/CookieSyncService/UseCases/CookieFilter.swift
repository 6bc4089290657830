// SPDX-License-Identifier: Apache-2.0

import Cookies

/// Which cookies of a store are meant; members that are given must all hold.
struct CookieFilter: Sendable {
    /// Whether a URL is given.
    enum Scope: Hashable, Sendable {
        case any
        /// Cookies whose domain and path cover the URL, whatever Secure, HttpOnly or SameSite say.
        case url(CookieURL)
        /// A URL that no cookie goes to.
        case nowhere

        /// Whether a cookie lies in it.
        func includes(_ identity: CookieIdentity) -> Bool {
            switch self {
            case .any: true
            case .url(let url): CookieStore.isInScope(identity, of: url)
            case .nowhere: false
            }
        }
    }

    var scope = Scope.any
    /// Exactly this canonical domain.
    var domain: [UInt8]?
    /// Exactly this name.
    var name: [UInt8]?
    /// Exactly this path.
    var path: [UInt8]?
    /// Created at this time or after.
    var since: Timestamp?

    /// Whether it lets every cookie pass.
    var isEmpty: Bool {
        guard case .any = scope else { return false }
        return domain == nil && name == nil && path == nil && since == nil
    }

    /// Whether a cookie is meant.
    func includes(_ cookie: Cookie) -> Bool {
        let identity = cookie.identity
        guard scope.includes(identity) else { return false }
        if let domain, domain != identity.domain { return false }
        if let name, name != identity.name { return false }
        if let path, path != identity.path { return false }
        if let since, cookie.createdAt < since { return false }
        return true
    }
}
