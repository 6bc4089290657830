// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells whether a jar that was read is still the newest, to whoever keeps what came of it and not the jar itself.
///
/// To ask costs a load of memory that is written once, so that event loops on other processors ask without waiting for each
/// other.
public final class SnapshotWatch: Sendable {
    private let current = Atomic(true)

    /// A watch over the newest state of a jar.
    public init() {}

    /// Whether the jar has not been written to, dropped from memory or deleted since.
    ///
    /// False from before such a write is acknowledged.
    public var isCurrent: Bool { current.load(ordering: .acquiring) }

    /// Ends the watch: there is a newer state, or nobody knows any more whether there is.
    public func end() { current.store(false, ordering: .releasing) }
}

/// A jar that was found in memory, and the watch over it.
public struct WatchedSnapshot: Sendable {
    /// The jar.
    public let snapshot: JarSnapshot
    /// Its watch; nil from a storage that has to look again each time.
    public let watch: SnapshotWatch?

    /// A jar that was found.
    public init(_ snapshot: JarSnapshot, _ watch: SnapshotWatch?) {
        self.snapshot = snapshot
        self.watch = watch
    }
}

extension JarStorage {
    /// The same without a watch.
    public func watchedSnapshot(
        tenant: UnsafeBufferPointer<UInt8>, jar: UnsafeBufferPointer<UInt8>
    ) -> WatchedSnapshot? {
        cachedSnapshot(tenant: tenant, jar: jar).map { WatchedSnapshot($0, nil) }
    }
}
