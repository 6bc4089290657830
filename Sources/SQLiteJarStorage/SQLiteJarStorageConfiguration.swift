// SPDX-License-Identifier: Apache-2.0

public import Sealing

/// The settings of the storage.
public struct SQLiteJarStorageConfiguration: Sendable {
    /// Where the files are; on a local disk.
    public var dataDirectory: String
    /// Where backups are; the folder `backups` of the data directory unless it is set.
    public var backupDirectory: String
    /// Where the pepper of the tokens is; the file `pepper` of the data directory unless it is set.
    public var pepperFile: String
    /// The keys that values are sealed with; nil when they are stored as they are.
    public var keys: KeyRing?
    /// How many threads commit.
    public var writerThreads = 2
    /// How many tenants' files are open at a time.
    public var maximumOpenTenants = 64
    /// About how many bytes the jars in memory may take.
    public var snapshotCacheBytes = 64 << 20
    /// How many calls may wait for one tenant; more are refused as `busy`.
    public var queueLimit = 256
    /// After how many milliseconds of waiting a call is refused as `busy`, give or take a second.
    public var queueMilliseconds = 5000
    /// After how many changes that are not folded a tenant without work folds them.
    public var foldThreshold = 4096
    /// About how many rows folding writes in one transaction, while others may wait; most changes need none.
    public var foldChunk = 160
    /// About how many octets of cookies it writes in one transaction.
    public var foldOctets = 1 << 20
    /// After how many milliseconds without a write a tenant folds what there is.
    public var idleFoldMilliseconds = 1000
    /// After how many milliseconds expired cookies and old changes are looked for again.
    public var sweepIntervalMilliseconds = 60_000
    /// After how many milliseconds the sweep writes again when cookies were last used.
    public var accessIntervalMilliseconds = 3_600_000
    /// For how many seconds a change stays in the log once it is folded.
    public var changeRetentionSeconds = 7 * 86_400
    /// How many of the newest changes of a tenant stay, however old.
    public var changeLimit = 100_000

    /// The default settings for that directory.
    public init(dataDirectory: String) {
        self.dataDirectory = dataDirectory
        backupDirectory = "\(dataDirectory)/backups"
        pepperFile = DataDirectory(path: dataDirectory).pepperPath
    }
}
