// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage
import TestSupport
import Testing

@testable import SQLiteJarStorage

@Suite("The column of RFC 2965's attributes")
struct LegacyColumnTests {
    private let directory: TemporaryDirectory
    private let folder: TenantFolder
    private let jar = StorageWorld.address("alice").jar

    init() throws {
        directory = try TemporaryDirectory()
        folder = TenantFolder(parent: directory.path, name: "acme")
    }

    private func change(_ name: String, _ revision: UInt64, _ legacy: LegacyAttributes?) -> Change {
        let cookie = Cookie(
            identity: CookieIdentity(
                name: Array(name.utf8), domain: Array("example.com".utf8), hostOnly: true,
                path: [0x2F], partitionKey: nil),
            value: CookieValue(Array("v".utf8)), secure: true, httpOnly: false, sameSite: .lax,
            expires: nil, createdAt: StorageWorld.start, creationOrder: revision,
            updatedAt: StorageWorld.start, version: 1, lastAccess: StorageWorld.start,
            wasSession: false, source: .imported, legacy: legacy)
        return Change(
            revision: Revision(rawValue: revision), at: StorageWorld.start,
            store: StorageWorld.store("native"), cause: .inserted, content: .added(cookie))
    }

    private func commit(_ change: Change, to database: TenantDatabase) throws {
        try database.commit([
            JarCommit(
                jar: jar, number: try database.number(of: jar), changes: [change], isPresent: true)
        ])
    }

    /// Takes back what later versions added, so that the file is as the first version wrote it.
    private func makeOld() throws {
        let connection = try Connection(path: folder.databasePath)
        try connection.execute(
            """
            ALTER TABLE change DROP COLUMN legacy; ALTER TABLE cookie DROP COLUMN legacy;
            ALTER TABLE jar_change DROP COLUMN earlier;
            DROP TABLE record; DROP TABLE tenant; DROP TABLE data_key; DROP TABLE answer;
            PRAGMA user_version = 1;
            """, "prepare")
        try connection.close()
    }

    @Test(
        "is added to a file of version 1 with cookies in it, folded and not, which stay as they were"
    )
    func migration() throws {
        let (first, second) = (change("folded", 1, nil), change("pending", 2, nil))
        try TenantDatabase.create(folder)
        let written = try TenantDatabase.open(folder)
        try commit(first, to: written)
        _ = try written.fold(limit: 10)
        try commit(second, to: written)
        try written.close()
        try makeOld()

        let database = try TenantDatabase.open(folder)
        var expected = JarState.empty
        for change in [first, second] { expected.apply(change) }
        #expect(try database.load(jar).state.contents == expected.contents)
        let third = change(
            "new", 3, LegacyAttributes(version: 1, comment: Array("c".utf8), port: Array("80".utf8))
        )
        try commit(third, to: database)
        expected.apply(third)
        #expect(try database.load(jar).state.contents == expected.contents)
        _ = try database.fold(limit: 10)
        try database.close()
        let again = try TenantDatabase.open(folder)
        #expect(try again.load(jar).state.contents == expected.contents)
        // Rows that find one change each, and rows that find more, side by side.
        #expect(
            try again.changes(of: jar, since: .zero, limit: 9).changes == [first, second, third])
        try again.close()
    }
}
