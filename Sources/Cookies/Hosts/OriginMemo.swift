// SPDX-License-Identifier: Apache-2.0

/// Reads URLs, and remembers what their fronts mean: a server answers under many paths, and a host is the dearest part to
/// read.
///
/// What a front means depends on nothing but its octets, so an entry is never wrong; a newer front takes the place of the
/// one before it in its slot. Holds at most `slots` fronts of at most `maximumOctets` octets each, and none before the
/// first is read.
public struct OriginMemo: Sendable {
    static let slots = 256
    static let maximumOctets = 256

    private struct Entry {
        let front: [UInt8]
        let origin: URLOrigin
    }

    private let names: any DomainNameMapping
    private var entries: [Entry?] = []

    /// A memo without entries.
    ///
    /// - Parameter names: maps international names.
    public init(names: any DomainNameMapping) {
        self.names = names
    }

    /// Reads an absolute URL, as `CookieURL` does.
    ///
    /// - Throws: which part is unusable; that is not remembered.
    /// - Complexity: O(length); without a heap allocation where the front is known and the path is `/`.
    public mutating func read(_ text: ArraySlice<UInt8>) throws(CookieURLError) -> CookieURL {
        let text = URLParts.withoutBlanks(text)
        guard let front = text.withUnsafeBufferPointer(URLParts.Front.init) else {
            throw .malformed
        }
        let rest = text.dropFirst(front.end)
        let path = URLPath.normalized(URLParts.Tail(rest).path(of: rest))
        let slot = text.withUnsafeBufferPointer { Self.slot(of: front, in: $0) }
        if slot < entries.count, let entry = entries[slot],
            text.withUnsafeBufferPointer({ Self.octets(of: front, in: $0).isSame(as: entry.front) })
        {
            return CookieURL(entry.origin, path: path)
        }
        let origin = try URLOrigin(URLParts(text, front), names: names)
        if front.end <= Self.maximumOctets {
            if entries.isEmpty { entries = [Entry?](repeating: nil, count: Self.slots) }
            entries[slot] = Entry(front: Array(text.prefix(front.end)), origin: origin)
        }
        return CookieURL(origin, path: path)
    }

    /// How many fronts are known.
    var count: Int { entries.count { $0 != nil } }

    private static func slot(
        of front: URLParts.Front, in text: UnsafeBufferPointer<UInt8>
    ) -> Int {
        Int(TableHash.shared(octets(of: front, in: text)) % UInt64(slots))
    }

    private static func octets(
        of front: URLParts.Front, in text: UnsafeBufferPointer<UInt8>
    ) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text.prefix(front.end))
    }
}
