// SPDX-License-Identifier: Apache-2.0

/// The order of cookies in a header: longer paths first, then earlier creation.
///
/// The remaining parts of the identity make it total, so that it never depends on the order of
/// calls.
enum HeaderOrder {
    static func precedes(_ left: Cookie, _ right: Cookie) -> Bool {
        let (first, second) = (left.identity, right.identity)
        if first.path.count != second.path.count { return first.path.count > second.path.count }
        if left.creationOrder != right.creationOrder {
            return left.creationOrder < right.creationOrder
        }
        if first.domain.count != second.domain.count {
            return first.domain.count > second.domain.count
        }
        if first.hostOnly != second.hostOnly { return first.hostOnly }
        return key(first).lexicographicallyPrecedes(key(second)) { left, right in
            left.lexicographicallyPrecedes(right)
        }
    }

    private static func key(_ identity: CookieIdentity) -> [[UInt8]] {
        [identity.name, identity.path, identity.domain, identity.partitionKey ?? []]
    }
}
