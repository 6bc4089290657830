// SPDX-License-Identifier: Apache-2.0

import Cookies
public import JarStorage

/// What the process that is killed writes, and what must be there afterwards.
public enum Torture {
    /// The jars that count.
    public static let addresses: [JarAddress] = (0..<8).map {
        StorageWorld.address("jar-\($0)", of: $0 < 4 ? "acme" : "other")
    }

    private static let store = StorageWorld.store("native")

    /// Where a jar's count stands.
    public static func count(in state: JarState) -> Int {
        let cookie = state[store].cookies[StorageWorld.identity("count")]
        return cookie.flatMap { Int(String(decoding: $0.value.bytes, as: UTF8.self)) } ?? 0
    }

    /// Counts up by one, in a cookie that is replaced; another one comes and goes beside it.
    ///
    /// Returns the new count.
    public static func increment(_ draft: inout JarDraft) -> Int {
        let count = count(in: draft.state) + 1
        put("count", "\(count)", &draft)
        if count.isMultiple(of: 2) {
            put("even", "\(count)", &draft)
        } else {
            _ = draft.delete(
                StorageWorld.identity("even"), in: store, now: StorageWorld.start)
        }
        return count
    }

    /// Whether the second cookie is as the count says: a write is there whole, or not at all.
    public static func isWhole(_ state: JarState) -> Bool {
        let count = count(in: state)
        let even = state[store].cookies[StorageWorld.identity("even")]?.value.bytes
        return even == (count > 0 && count.isMultiple(of: 2) ? Array("\(count)".utf8) : nil)
    }

    private static func put(_ name: String, _ value: String, _ draft: inout JarDraft) {
        _ = draft.put(
            StorageWorld.cookie(name, value), in: store, rules: StorageWorld.rules,
            now: StorageWorld.start)
    }
}
