// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncService
internal import CookieSyncWire
internal import Glibc
internal import JarStorage
internal import Locks
internal import SQLiteJarStorage
internal import Telemetry

/// Copies and checks the data, by the running service where it holds the data directory, else in this process.
///
/// What came of it is printed as one line of JSON; damage ends with 65.
enum Maintenance {
    /// The service answers within two minutes.
    private static let seconds = 130

    static func backUp(_ arguments: ArraySlice<String>) throws(Failure) {
        guard let first = arguments.first, let name = BackupName(first.utf8) else {
            throw Failure(.usage, "backup needs a name for the backup. \(BackupName.rule)")
        }
        let settings = try read(arguments.dropFirst())
        try run(settings, "/v1/admin/backup", json: Array("{\"name\":\"\(name)\"}".utf8)) {
            $0.backUp(as: name, completion: $1)
        } body: {
            MaintenanceBody($0, backup: name)
        }
    }

    static func verify(_ arguments: ArraySlice<String>) throws(Failure) {
        let settings = try read(arguments)
        guard settings.text(.storage) == nil else { return try verifyNode(settings) }
        try run(settings, "/v1/admin/verify", json: nil) {
            $0.verify(completion: $1)
        } body: {
            MaintenanceBody($0, backup: nil)
        }
        try Audit.verify(settings)
    }

    /// Checks what a node of a fleet has itself, its audit log; the data are the database's to check.
    private static func verifyNode(_ settings: Settings) throws(Failure) {
        guard PepperFile.exists(Storage.pepperFile(settings)) else {
            throw Failure(
                .configuration,
                "pepper-file: \(Storage.pepperFile(settings)) is missing; the audit log is checked with it"
            )
        }
        try Audit.verify(settings)
        print("the audit log of this node is whole")
    }

    static func encrypt(_ arguments: ArraySlice<String>) throws(Failure) {
        try run(try read(arguments), "/v1/admin/encrypt", json: nil) {
            $0.encrypt(completion: $1)
        } body: {
            MaintenanceBody($0, backup: nil)
        }
    }

    static func restore(_ arguments: ArraySlice<String>) throws(Failure) {
        guard let path = arguments.first, !path.hasPrefix("--") else {
            throw Failure(.usage, "restore needs the path of a backup")
        }
        let settings = try read(arguments.dropFirst())
        Hardening.apply()
        let keys = try Keys.read(settings)
        do {
            let report = try BackupRestore.run(
                from: path, into: settings.text(.dataDirectory) ?? "", keys: keys)
            try show(MaintenanceBody(report, backup: nil))
        } catch let error as RestoreError {
            throw Failure(exitCode(error), "restore: \(error)")
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.system, "restore")
        }
    }

    private static func read(_ arguments: ArraySlice<String>) throws(Failure) -> Settings {
        try SettingsReader.read(arguments: arguments, environment: Environment.all)
    }

    private static func run(
        _ settings: Settings, _ path: String, json: [UInt8]?,
        _ start: (SQLiteJarStorage, @escaping @Sendable (MaintenanceResult) -> Void) -> Void,
        body: (MaintenanceReport) -> MaintenanceBody
    ) throws(Failure) {
        guard settings.text(.storage) == nil else {
            throw Failure(.usage, "the data are in a database; use its own tools, such as pg_dump")
        }
        let directory = settings.text(.dataDirectory) ?? ""
        guard access(directory, F_OK) == 0 else {
            throw Failure(.configuration, "data-dir: \(File.lastError())")
        }
        Hardening.apply()
        let storage: SQLiteJarStorage
        do {
            storage = try Storage.openFiles(settings, .silent)
        } catch {
            guard error.code == .locked else { throw error }
            return try ask(settings, path, json)
        }
        defer { storage.close() }
        let result = wait { start(storage, $0) }
        do {
            try show(body(try result.get()))
        } catch let error as MaintenanceError {
            throw failure(error)
        } catch let failure as Failure {
            throw failure
        } catch {
            throw Failure(.system, "maintenance")
        }
    }

    private static func ask(
        _ settings: Settings, _ path: String, _ json: [UInt8]?
    ) throws(Failure) {
        var token: [UInt8]?
        if let file = settings.text(.adminTokenFile) { token = try AdminToken.read(path: file) }
        let answer = try LocalService(settings, seconds: seconds)
            .ask("POST", path, token: token, json: json)
        print(String(decoding: answer.body, as: UTF8.self))
        switch answer.status {
        case 200: break
        case 422: throw Failure(.damaged, "the service refuses it; its answer says why")
        default: throw Failure(.unavailable, "the service answered with status \(answer.status)")
        }
        let body = try? JSONDocument(parsing: answer.body).root.members()
        let faults = try? body?.first { $0.name == Array("faults".utf8) }?.value.elements()
        guard faults?.isEmpty == true else { throw damage }
    }

    private static func wait(
        _ start: (@escaping @Sendable (MaintenanceResult) -> Void) -> Void
    ) -> MaintenanceResult {
        let slot = Slot<MaintenanceResult>()
        start(slot.fill)
        return slot.wait()
    }

    private static func show(_ body: MaintenanceBody) throws(Failure) {
        show(body as any AnswerBody)
        guard body.faults.isEmpty else { throw damage }
    }

    /// Prints a body as one line of JSON.
    static func show(_ body: any AnswerBody) {
        var writer = JSONWriter()
        body.encode(to: &writer)
        print(String(decoding: writer.bytes, as: UTF8.self))
    }

    /// That some tenants are damaged.
    static var damage: Failure {
        Failure(.damaged, "the data of some tenants cannot be used; `faults` names them")
    }

    private static func failure(_ error: MaintenanceError) -> Failure {
        switch error {
        case .running: Failure(.unavailable, "another backup, check or encryption is under way")
        case .noKey: Failure(.configuration, "key-file: is not set")
        case .nameTaken: Failure(.damaged, "there is a backup of that name")
        case .storage(.full): Failure(.unavailable, "no room is left")
        case .storage: Failure(.unavailable, "the data or the place of the backups failed")
        }
    }

    private static func exitCode(_ error: RestoreError) -> ExitCode {
        switch error {
        case .notABackup, .damaged, .damagedCatalogue, .tooNew: .damaged
        case .notFresh, .target, .keys: .configuration
        case .engine: .unavailable
        }
    }
}
