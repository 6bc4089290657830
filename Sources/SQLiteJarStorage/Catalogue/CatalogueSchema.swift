// SPDX-License-Identifier: Apache-2.0

import CSQLite
import JarStorage

// The catalogue's database: a row per tenant that was made explicitly, and one per token. Names and ids are BLOBs; a list
// of names is one BLOB with commas between them, as no name has a comma.
enum CatalogueSchema {
    /// "ckct": what `PRAGMA application_id` answers.
    static let applicationID: Int64 = 0x636B_6374

    /// The step to each version from the one before.
    ///
    /// Only ever appended to.
    static let migrations: [String] = [
        """
        CREATE TABLE tenant (
            name BLOB PRIMARY KEY,
            created_at INTEGER NOT NULL,
            byte_limit INTEGER,
            rate_limit INTEGER,
            deleting INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE token (
            id BLOB PRIMARY KEY,
            tenant BLOB NOT NULL,
            name BLOB NOT NULL,
            scopes INTEGER NOT NULL,
            jars BLOB NOT NULL,
            stores BLOB NOT NULL,
            rate_limit INTEGER,
            created_at INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            digest BLOB NOT NULL,
            overlap_digest BLOB,
            overlap_until INTEGER,
            last_use INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """
    ]

    /// Brings a database to the current version, one transaction for each step.
    static func migrate(_ connection: borrowing Connection) throws(CatalogueError) {
        do {
            guard try connection.integer("PRAGMA application_id") == applicationID else {
                throw CatalogueError.notACatalogue
            }
            let version = try connection.integer("PRAGMA user_version")
            guard version <= Int64(migrations.count) else { throw CatalogueError.tooNew(version) }
            for next in version..<Int64(migrations.count) {
                try connection.execute(
                    """
                    BEGIN IMMEDIATE; \(migrations[Int(next)]);
                    PRAGMA user_version = \(next + 1); COMMIT
                    """, "migrate the catalogue to version \(next + 1)")
            }
        } catch let error as CatalogueError {
            throw error
        } catch let error as SQLiteError {
            throw .engine(error)
        } catch {
            throw .notACatalogue
        }
    }
}

/// Why the catalogue cannot be used.
enum CatalogueError: Error, Hashable, Sendable {
    /// The file is no catalogue of ours.
    case notACatalogue
    /// A newer program wrote it.
    case tooNew(Int64)
    /// SQLite refused.
    case engine(SQLiteError)
    /// A system call outside SQLite failed.
    case file(FileError)
    /// The pepper that its tokens were hashed with is not there, or is not one.
    case pepper(isMissing: Bool)

    /// Whether it is about the pepper's file rather than the catalogue's.
    var concernsPepper: Bool {
        if case .pepper = self { true } else { false }
    }

    /// What it means to whoever calls the storage.
    var storageError: JarStorageError {
        switch self {
        case .notACatalogue: .corrupt
        case .tooNew: .schemaTooNew
        case .engine(let error): error.storageError
        case .file, .pepper: .unavailable
        }
    }

    /// What it means to whoever opens the storage.
    func openError(_ path: String) -> StorageOpenError {
        switch self {
        case .notACatalogue: .catalogue(path: path, problem: "it is no catalogue of cookiesync")
        case .tooNew(let version):
            .catalogue(path: path, problem: "a newer version wrote it (schema \(version))")
        case .engine(let error) where [.corrupt, .integrity].contains(error.storageError):
            .catalogue(path: path, problem: error.description)
        case .engine(let error): .catalogueFailed(path: path, problem: error.description)
        case .file(let error):
            .dataDirectory(path: path, errno: error.code, operation: error.operation)
        case .pepper(let isMissing): .pepper(path: path, isMissing: isMissing)
        }
    }
}
