// SPDX-License-Identifier: Apache-2.0

extension Cookie {
    /// The `Set-Cookie` line that stores this cookie again, when its own host answers with it.
    ///
    /// `Domain` is there exactly when hosts below the domain get the cookie too; an end is given as `Expires`, so that
    /// the line means the same whenever it is read. A cookie without a name begins with `=`, as its value may hold one.
    ///
    /// - Parameter hasPath: false leaves `Path` out, for a URL whose default path (section 5.1.4) is the cookie's.
    /// - Returns: The line; nil when the path or the domain cannot be said in one: a `;` in a path that came from a URL or
    ///   in a domain, or more than 1024 octets.
    /// - Complexity: O(length).
    public func setCookieLine(hasPath: Bool = true) -> [UInt8]? {
        guard !hasPath || Self.isAttribute(identity.path) else { return nil }
        guard identity.hostOnly || Self.isAttribute(identity.domain) else { return nil }
        var line = identity.name
        line.append(ASCII.equals)
        line.append(contentsOf: value.bytes)
        if hasPath {
            line.append(contentsOf: "; Path=".utf8)
            line.append(contentsOf: identity.path)
        }
        appendAttributes(to: &line)
        return line
    }

    private func appendAttributes(to line: inout [UInt8]) {
        if !identity.hostOnly {
            line.append(contentsOf: "; Domain=".utf8)
            line.append(contentsOf: identity.domain)
        }
        if let expires {
            line.append(contentsOf: "; Expires=".utf8)
            CookieDate.append(expires, to: &line)
        }
        if secure { line.append(contentsOf: "; Secure".utf8) }
        if httpOnly { line.append(contentsOf: "; HttpOnly".utf8) }
        switch sameSite {
        case .unset: break
        case .none: line.append(contentsOf: "; SameSite=None".utf8)
        case .lax: line.append(contentsOf: "; SameSite=Lax".utf8)
        case .strict: line.append(contentsOf: "; SameSite=Strict".utf8)
        }
        if identity.partitionKey != nil { line.append(contentsOf: "; Partitioned".utf8) }
    }

    private static func isAttribute(_ text: [UInt8]) -> Bool {
        text.count <= CookieLimits.attributeOctets && !text.contains(ASCII.semicolon)
    }
}
