// SPDX-License-Identifier: Apache-2.0

internal import AuditLog
internal import CookieSyncService
internal import Cookies
internal import JarStorage
internal import SQLiteJarStorage

/// The audit log as the settings want it.
enum Audit {
    /// Opens the log for writing, with its newest file checked; nil where there is no pepper, and so no key.
    static func open(
        _ settings: Settings, _ pepper: CataloguePepper?
    ) throws(Failure) -> AuditTrail? {
        guard let pepper else { return nil }
        do {
            return try AuditTrail(
                path: path(settings), key: try key(pepper),
                maximumBytes: settings.number(.auditBytes) ?? .max,
                now: SystemClock.now().milliseconds)
        } catch let failure as Failure {
            throw failure
        } catch let error as AuditLogError {
            throw failure(error)
        } catch {
            throw Failure(.system, "open the audit log")
        }
    }

    /// Checks every file of the log, if there is one, whether the service runs or not.
    ///
    /// The pepper is the root of its key.
    static func verify(_ settings: Settings) throws(Failure) {
        let file = Storage.pepperFile(settings)
        do {
            guard PepperFile.exists(file) else { return }
            let pepper = try PepperFile.open(file, mayMake: false)
            _ = try AuditTrail.verify(path: path(settings), key: try key(pepper))
        } catch let failure as Failure {
            throw failure
        } catch let error as AuditLogError {
            throw failure(error)
        } catch let error as StorageOpenError {
            throw Failure(.configuration, "\(error)")
        } catch {
            throw Failure(.system, "check the audit log")
        }
    }

    private static func path(_ settings: Settings) -> String {
        settings.text(.auditLog) ?? "\(settings.text(.dataDirectory) ?? "")/audit.log"
    }

    private static func key(_ pepper: CataloguePepper) throws(Failure) -> AuditKey {
        guard let key = AuditKey(secret: pepper.bytes) else {
            throw Failure(.system, "libcrypto cannot make the key of the audit log")
        }
        return key
    }

    private static func failure(_ error: AuditLogError) -> Failure {
        switch error {
        case .broken: Failure(.damaged, "\(error)")
        case .file: Failure(.configuration, "\(error)")
        case .thread: Failure(.system, "\(error)")
        }
    }
}
