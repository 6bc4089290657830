// SPDX-License-Identifier: Apache-2.0

/// Every setting there is, in the order in which help and documentation show them.
enum SettingsTable {
    struct Section: Sendable {
        let title: String
        /// Whether only the commands that call a service take them, and no others.
        var isForClients = false
        let settings: [Setting]
    }

    static let sections = [
        Section(
            title: "Service",
            settings: [
                .config, .host, .port, .dataDirectory, .backupDirectory, .adminTokenFile,
                .pepperFile, .keyFile, .oldKeyFile, .publicSuffixList, .loopbackIsSecure, .logLevel,
                .logFormat,
                .logRequests,
            ]),
        Section(
            title: "Calling a service (import, export, get, ingest)", isForClients: true,
            settings: [.server, .tokenFile, .tenant, .jar, .store]),
        Section(
            title: "A database instead of files",
            settings: [.storage, .storageConnections, .storageRole]),
        Section(
            title: "Threads and memory",
            settings: [.loops, .writerThreads, .writeQueue, .cacheBytes, .openTenants]),
        Section(
            title: "Data in the course of time",
            settings: [.sweepInterval, .changeRetention, .changeLimit, .idempotencyRetention]),
        Section(
            title: "Change feed",
            settings: [.feedStreams, .feedPolls, .feedHeartbeat, .feedLifetime]),
        Section(
            title: "Connections",
            settings: [
                .connections, .connectionsPerAddress, .backlog, .pipelineDepth, .streamBufferBytes,
                .compression,
            ]),
        Section(
            title: "Sizes",
            settings: [
                .requestLineBytes, .headerBytes, .headerFields, .headerFieldBytes, .chunkLineBytes,
                .bodyBytes, .messageBytes, .importBytes, .bodyMemory, .inflationRatio,
            ]),
        Section(
            title: "Callers",
            settings: [
                .failedLogins, .tokenRate, .tenantRate, .auditLevel, .auditLog, .auditBytes,
            ]),
        Section(
            title: "Time-outs",
            settings: [
                .headerTimeout, .bodyTimeout, .bodyGrace, .bodyRate, .idleTimeout, .handlerTimeout,
                .responseTimeout, .lingerTimeout, .drainTimeout,
            ]),
    ]

    static let all = sections.flatMap(\.settings)
}

extension Setting {
    // MARK: Service

    static let config = Setting(
        "config", .path, default: nil,
        "Configuration file: lines of `name = value` with the names of this table, `#` begins a comment line."
    )
    static let host = Setting(
        "host", .text, default: "127.0.0.1",
        "Address to listen on. Any but a loopback address needs an admin token.")
    static let port = Setting(
        "port", .number(0...65_535), default: "8080",
        "Port to listen on; 0 takes any free one and logs it.")
    static let dataDirectory = Setting(
        "data-dir", .path, default: "./data",
        "Directory of the data, made when absent. One process at a time.")
    static let backupDirectory = Setting(
        "backup-dir", .path, default: nil, or: "`backups` in data-dir",
        "Directory of the backups, made when absent; better on another disk.")
    static let adminTokenFile = Setting(
        "admin-token-file", .path, default: nil,
        "File with the admin token, on one line. Without it the service is open, on loopback only.")
    static let pepperFile = Setting(
        "pepper-file", .path, default: nil, or: "`pepper` in data-dir",
        "File with the key that the hashes of tokens are made with; mode 0600, made when there are no tokens yet. The nodes of a fleet need the same."
    )
    static let keyFile = Setting(
        "key-file", .path, default: nil,
        "File with the key that values are encrypted with: 32 octets, or the same in hexadecimal or base64; mode 0600. Without it nothing is encrypted."
    )
    static let oldKeyFile = Setting(
        "old-key-file", .path, default: nil,
        "File with the key before the one of key-file, needed until `encrypt` has changed all data over."
    )
    static let publicSuffixList = Setting(
        "public-suffix-list", .path, default: "/usr/share/publicsuffix/public_suffix_list.dat",
        "The list of public suffixes. Without a readable one the service does not start.")
    static let loopbackIsSecure = Setting(
        "loopback-is-secure", .flag, default: "true",
        "Whether http URLs of localhost, 127.0.0.0/8 and ::1 may set and get Secure cookies, as in browsers."
    )
    static let logLevel = Setting(
        "log-level", .choice(["debug", "info", "warning", "error"]), default: "info",
        "Log lines below this level are left out.")
    static let logFormat = Setting(
        "log-format", .choice(["auto", "json", "text"]), default: "auto",
        "How log lines look; auto is text on a terminal and json elsewhere.")
    static let logRequests = Setting(
        "log-requests", .number(0...1_000_000), default: "1",
        "Of how many requests one is logged: 1 for each, 100 for every hundredth and those answered with 500 and above, 0 for none."
    )

    // MARK: Calling a service

    static let server = Setting(
        "server", .text, default: "http://127.0.0.1:8080",
        "The service to call, over http; a path is put before the service's own.")
    static let tokenFile = Setting(
        "token-file", .path, default: nil,
        "File with the token that the service wants, on one line.")
    static let tenant = Setting("tenant", .text, default: "default", "The tenant of the jar.")
    static let jar = Setting(
        "jar", .text, default: "default", "The jar: one login identity.")
    static let store = Setting(
        "store", .text, default: "default", "The store: one layer's view of that identity.")

    // MARK: A database instead of files

    static let storage = Setting(
        "storage", .text, default: nil, or: "files in data-dir",
        "PostgreSQL for many nodes: `postgres://HOST/DATABASE` or `host=A,B dbname=D`. A password belongs into PGPASSFILE, the environment or the configuration file."
    )
    static let storageConnections = Setting(
        "storage-connections", .number(2...64), default: "6",
        "Connections to the database, each with a thread; a third of them reads.")
    static let storageRole = Setting(
        "storage-role", .text, default: nil,
        "The role of the running service, which `migrate` lets read and write rows.")

    // MARK: Threads and memory

    static let loops = Setting(
        "loops", .number(1...256), default: nil, or: "cores - 1, at least 1",
        "Event loops, each a thread, that the connections are spread over.")
    static let writerThreads = Setting(
        "writer-threads", .number(1...64), default: "2",
        "Threads that commit writes; a tenant's commits run on one of them at a time.")
    static let writeQueue = Setting(
        "write-queue", .number(1...65_536), default: "256",
        "Calls that may wait for one tenant's files; beyond them the answer is 503.")
    static let cacheBytes = Setting(
        "cache-bytes", .bytes(0...(1 << 40)), default: "64MiB",
        "Memory for jars that are kept ready to be read.")
    static let openTenants = Setting(
        "open-tenants", .number(1...4_096), default: "64",
        "Tenants whose files are kept open; each takes about 150 KiB and three descriptors.")

    // MARK: Data in the course of time

    static let sweepInterval = Setting(
        "sweep-interval", .duration(10...86_400_000), default: "1m",
        "How often expired cookies are removed and old changes dropped, at most 1000 cookies at a time."
    )
    static let changeRetention = Setting(
        "change-retention", .duration(1_000...315_360_000_000), default: "168h",
        "For how long changes are kept.")
    static let changeLimit = Setting(
        "change-limit", .number(1...1_000_000_000), default: "100000",
        "How many changes are kept, the newest ones: of a tenant in files, of each jar in a database."
    )

    static let idempotencyRetention = Setting(
        "idempotency-retention", .duration(1_000...2_592_000_000), default: "24h",
        "For how long the answer to a call with an `Idempotency-Key` is kept. In whole seconds.")

    // MARK: Change feed

    static let feedStreams = Setting(
        "feed-streams", .number(0...1_000_000), default: "100",
        "Event streams that a tenant may have at once; beyond them the answer is 429.")
    static let feedPolls = Setting(
        "feed-polls", .number(0...1_000_000), default: "10000",
        "Calls with `wait` of a tenant that may wait at once; beyond them the answer is 429.")
    static let feedHeartbeat = Setting(
        "feed-heartbeat", .duration(100...300_000), default: "15s",
        "How often a stream is sent a comment as a sign of life.")
    static let feedLifetime = Setting(
        "feed-lifetime", .duration(1_000...86_400_000), default: "1h",
        "After how long a stream ends, for its client to connect again.")
}
