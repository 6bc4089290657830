// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import JarStorage
internal import Locks
internal import Moving
internal import PostgresJarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// Copies everything from a data directory into a database, or the other way, and compares what has arrived.
///
/// How far it is, is told on the standard error; what came of it is printed as one line of JSON.
enum Move {
    /// Where data are.
    private enum Place {
        case directory(String)
        case database(ConnectionInfo)
    }

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        var rest: [String] = []
        var places: [String: String] = [:]
        var iterator = arguments.makeIterator()
        while let argument = iterator.next() {
            let parts = argument.split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts.first ?? "")
            guard name == "--from" || name == "--to" else {
                rest.append(argument)
                continue
            }
            guard let value = parts.count > 1 ? String(parts[1]) : iterator.next(),
                !value.isEmpty, places.updateValue(value, forKey: name) == nil
            else { throw Failure(.usage, "\(name): is to be given once, with a value") }
        }
        let settings = try SettingsReader.read(arguments: rest, environment: Environment.all)
        let (from, to) = (try place("--from", places), try place("--to", places))
        switch (from, to) {
        case (.directory(let path), _):
            guard access(path, F_OK) == 0 else {
                throw Failure(.configuration, "--from: \(File.lastError())")
            }
        case (.database, .directory): break
        case (.database, .database):
            throw Failure(.usage, "from a database to another, its own tools copy: pg_dump")
        }
        Hardening.apply()
        let source = try open(from, "--from", settings)
        let target = try open(to, "--to", settings)
        let pepper = try pepper(for: source, from, to, settings)
        try pepper?.agree(adopting: false)
        try move(from: source, to: target)
        try pepper?.agree(adopting: true)
    }

    /// The file that both sides check tokens with, and the database that knows what it is told by.
    private struct Pepper {
        let path: String
        let info: ConnectionInfo

        /// Sees that the file is the one that the tokens were made with; has the database know it, if told so.
        func agree(adopting adopts: Bool) throws(Failure) {
            _ = try Storage.agree(on: path, info, adopting: adopts, .silent)
        }
    }

    /// Nil where there are no tokens.
    private static func pepper(
        for source: any JarArchive, _ from: Place, _ to: Place, _ settings: Settings
    ) throws(Failure) -> Pepper? {
        do throws(JarStorageError) {
            guard try !source.catalogue().tokens.isEmpty else { return nil }
        } catch {
            throw failure(.source(nil, error))
        }
        switch (from, to) {
        case (.directory(let path), .database(let info)),
            (.database(let info), .directory(let path)):
            return Pepper(path: settings.text(.pepperFile) ?? "\(path)/pepper", info: info)
        default: return nil
        }
    }

    private static func place(
        _ name: String, _ places: [String: String]
    ) throws(Failure) -> Place {
        guard let text = places[name] else {
            throw Failure(
                .usage, "move needs --from and --to, each a data directory or postgres://HOST/NAME")
        }
        let isDatabase = ["postgres://", "postgresql://", "host=", "service=", "dbname="]
            .contains { text.hasPrefix($0) }
        guard isDatabase else { return .directory(text) }
        guard let info = ConnectionInfo(text) else {
            throw Failure(.configuration, "\(name): is no connection string")
        }
        guard !info.holdsPassword else {
            throw Failure(
                .configuration,
                "\(name): holds a password, which others see in the list of processes; use PGPASSFILE"
            )
        }
        return .database(info)
    }

    private static func open(
        _ place: Place, _ name: String, _ settings: Settings
    ) throws(Failure) -> any JarArchive {
        switch place {
        case .directory(let path):
            var configuration = SQLiteJarStorageConfiguration(dataDirectory: path)
            configuration.keys = try Keys.read(settings)
            do {
                return try SQLiteArchive(configuration)
            } catch {
                throw Failure(Storage.exitCode(error), "\(name): \(error)")
            }
        case .database(let info):
            do {
                return try PostgresArchive(info, logger: .silent)
            } catch {
                throw Failure(Storage.exitCode(error), "\(name): \(error)")
            }
        }
    }

    private static func move(
        from source: any JarArchive, to target: any JarArchive
    ) throws(Failure) {
        var next = MonotonicTime.now
        let mover = Mover(from: source, to: target) { report in
            guard MonotonicTime.now >= next || report.tenants == report.tenantCount else { return }
            next = .now.adding(milliseconds: 1_000)
            File.writeToStandardError(
                "\(report.tenants) of \(report.tenantCount) tenants, \(report.jars) jars\n")
        }
        do {
            Maintenance.show(MoveBody(try mover.run()))
        } catch {
            throw failure(error)
        }
    }

    private static func failure(_ error: MoveError) -> Failure {
        switch error {
        case .occupied(let tenant):
            Failure(
                .configuration,
                "--to: has data of the tenant \(tenant) that are not those of --from")
        case .different(let tenant):
            Failure(
                .damaged, "what was written of the tenant \(tenant) does not come back as it was")
        case .occupiedCatalogue:
            Failure(
                .configuration, "--to: has tenants and tokens that are not those of --from")
        case .differentCatalogue:
            Failure(
                .damaged, "what was written of tenants and tokens does not come back as it was")
        case .source(let tenant, let error):
            Failure(
                code(error), "--from: \(tenant.map { "the tenant \($0)" } ?? "tenants"): \(error)")
        case .target(let tenant, let error):
            Failure(
                code(error), "--to: \(tenant.map { "the tenant \($0)" } ?? "tenants"): \(error)")
        }
    }

    private static func code(_ error: JarStorageError) -> ExitCode {
        switch error {
        case .corrupt, .integrity, .schemaTooNew: .damaged
        default: .unavailable
        }
    }
}
