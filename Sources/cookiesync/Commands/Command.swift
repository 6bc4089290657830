// SPDX-License-Identifier: Apache-2.0

/// The verbs of the command line.
enum Command: String, CaseIterable {
    case serve, token, healthcheck, migrate, `import`, export, get, ingest, backup, verify, restore
    case encrypt, move
    case createKey = "create-key"
    case version, help

    /// Runs the command that the arguments name, and says what to exit with.
    ///
    /// `serve` returns when it was stopped.
    static func run(_ arguments: ArraySlice<String>) -> ExitCode {
        do {
            let rest = arguments.dropFirst()
            if let verb = arguments.first.flatMap(Command.init), rest.contains("--help") {
                Help.tell(of: verb)
            } else {
                try command(arguments.first)(rest)
            }
            return .success
        } catch {
            let usage = error.code == .usage ? "\n" + Help.usage : ""
            File.writeToStandardError("cookiesync: \(error.message)\n\(usage)")
            return error.code
        }
    }

    private typealias Body = (ArraySlice<String>) throws(Failure) -> Void

    private static func command(_ verb: String?) throws(Failure) -> Body {
        switch verb {
        case "--help", "-h": return Help.run
        case "--version": return Version.run
        case let verb?:
            guard let command = Command(rawValue: verb) else {
                throw Failure(.usage, "no such command")
            }
            return command.body
        case nil: throw Failure(.usage, "a command is missing")
        }
    }

    private var body: Body {
        switch self {
        case .serve: Serve.run
        case .token: Token.run
        case .healthcheck: HealthCheck.run
        case .import: Import.run
        case .export: Export.run
        case .get: Get.run
        case .ingest: Ingest.run
        case .migrate: Migrate.run
        case .backup: Maintenance.backUp
        case .verify: Maintenance.verify
        case .restore: Maintenance.restore
        case .encrypt: Maintenance.encrypt
        case .move: Move.run
        case .createKey: Keys.create
        case .version: Version.run
        case .help: Help.run
        }
    }

    /// Whether it calls a service, and takes the settings for that.
    var isClient: Bool {
        switch self {
        case .import, .export, .get, .ingest: true
        default: false
        }
    }

    /// What the command does, in a line.
    var summary: String {
        switch self {
        case .serve: "run the service until SIGTERM, SIGINT or SIGHUP"
        case .token:
            "make the admin token, into admin-token-file; TENANT NAME SCOPES FILE: one of a tenant"
        case .healthcheck: "ask a running service on this machine whether it is alive"
        case .import:
            "FILE [--format F] [--url U] [--partial] [--json]: store the cookies of a file, `-` for the standard input"
        case .export:
            "[--format F] [--url U] [--json]: print the store's cookies as a file, netscape unless told"
        case .get: "URL [--method M] [--origin-host H] [--json]: print the Cookie header for a URL"
        case .ingest:
            "FILE --url URL [--origin-host H] [--json]: store the cookies of a response's head, as `curl -i` or `curl -iL` has it"
        case .backup:
            "NAME: copy the data into that folder of backup-dir, the service running or not"
        case .verify: "check the data of every tenant, the service running or not"
        case .restore: "PATH: make a data directory, which must be fresh, out of a backup"
        case .encrypt:
            "encrypt what is stored with the key of key-file, the service running or not"
        case .move:
            "--from PLACE --to PLACE: copy all data of a directory into a database or back, and compare; nobody serves them meanwhile"
        case .createKey: "make the file of key-file with a new key, for a fresh data directory"
        case .migrate:
            "bring the data directory, or the database of `storage`, to this version's schema"
        case .version: "print the version"
        case .help:
            "print this; COMMAND: what it takes; `settings`: the settings as a Markdown table"
        }
    }
}

extension Version {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        guard arguments.isEmpty else { throw Failure(.usage, "version takes no argument") }
        print("cookiesync \(current)")
    }
}
