// SPDX-License-Identifier: Apache-2.0

public import JarStorage

/// The settings of the storage.
public struct PostgresJarStorageConfiguration: Sendable {
    /// Where the database is.
    public var connection: ConnectionInfo
    /// How many connections read, and how many write; each has a thread.
    public var readConnections = 2
    /// How many connections write.
    public var writeConnections = 4
    /// How many reads may wait, and how many writes; more are refused as `busy`.
    public var queueLimit = 256
    /// About how many bytes the jars in memory may take.
    public var cacheBytes = 64 << 20
    /// After how many milliseconds expired cookies and old changes are looked for again.
    public var sweepIntervalMilliseconds = 60_000
    /// For how many seconds a change stays in the log.
    public var changeRetentionSeconds = 7 * 86_400
    /// How many of the newest changes of a jar stay, however old.
    public var changeLimit = 100_000
    /// Whether nothing is stored for a tenant that is not in the catalogue.
    public var requiresTenants = false
    /// What the secrets of tokens are hashed with: of all nodes the same, see `FleetPepper`; a random one serves where there
    /// are no tokens.
    public var pepper = CataloguePepper.random()

    /// The default settings for that database.
    public init(connection: ConnectionInfo) {
        self.connection = connection
    }
}
