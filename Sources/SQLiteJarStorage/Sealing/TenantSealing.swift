// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Cookies
import JarStorage
import Sealing

/// The one place where what a tenant keeps is sealed and opened, with the tenant's own keys.
///
/// The master key wraps the tenant's data keys, which lie wrapped in the tenant's file: a backup takes them along, and
/// with the file they are gone. Without a key nothing is done at all.
///
/// Not `Sendable`: it belongs to the tenant's connection.
final class TenantSealing {
    /// A key of the tenant and what is known about it.
    struct StoredKey {
        let key: DataKey
        /// The master key that it is wrapped with.
        var masterKey: UInt32
        let createdAt: Timestamp
        /// Whether everything the tenant keeps is sealed, with this key or the ones before.
        var isComplete: Bool
        /// As of when it was written down, how often it may have sealed.
        var reservedSeals: Int64
    }

    /// After how many seconds a key is followed by a new one.
    private static let keyLifetime: Int64 = 30 * 86_400
    /// How many seals are written down at once, ahead of their use.
    static let reservation: Int64 = 1 << 20

    let directory: DirectorySealing
    let tenant: [UInt8]
    /// The keys by their numbers, the one in use last.
    private(set) var keys: [StoredKey] = []
    private var seals: Int64 = 0
    private var text = SealedPlace()

    init(_ directory: DirectorySealing, tenant: [UInt8]) {
        self.directory = directory
        self.tenant = tenant
    }

    /// The key that seals; nil when values are stored as they are.
    var active: StoredKey? { keys.last }

    /// Takes the keys that the tenant's file holds now.
    func take(_ keys: [StoredKey]) {
        self.keys = keys
        seals = keys.last?.reservedSeals ?? 0
    }

    /// Whether the directory's sealing was turned on, or its master key changed, since the tenant's keys were made.
    var isBehind: Bool {
        guard let current = directory.keys?.current else { return false }
        return active?.masterKey != current.id
    }

    /// Whether it is time for a new key.
    func isDue(_ now: Timestamp) -> Bool {
        guard let active else { return false }
        return seals >= DataKey.sealLimit
            || now >= active.createdAt.adding(seconds: Self.keyLifetime)
    }

    /// Whether there may be something that the key in use has not sealed.
    var hasWork: Bool { keys.count > 1 || active?.isComplete == false }

    /// Up to how many seals have to be written down before that many more are made; nil when enough are.
    func reservation(for count: Int) -> (key: UInt32, seals: Int64)? {
        guard let active, seals + Int64(count) > active.reservedSeals else { return nil }
        return (active.key.id, seals + Int64(count) + Self.reservation)
    }

    /// Takes note of what has been written down.
    func note(_ reservation: (key: UInt32, seals: Int64)?) {
        guard let reservation, active?.key.id == reservation.key else { return }
        keys[keys.count - 1].reservedSeals = reservation.seals
    }

    /// Seals octets for a place; nil when nothing is sealed.
    func seal(
        _ value: [UInt8], at describe: (inout SealedPlace) -> Void
    ) throws(SQLiteError) -> [UInt8]? {
        guard let active else { return nil }
        seals += 1
        text.start(tenant)
        describe(&text)
        do {
            return try active.key.seal(
                value, masterKey: active.masterKey, associated: text.octets)
        } catch {
            throw SQLiteError(error)
        }
    }

    /// Opens what was sealed for that place.
    func open(
        _ sealed: [UInt8], at describe: (inout SealedPlace) -> Void
    ) throws(SQLiteError) -> [UInt8] {
        guard let id = DataKey.id(of: sealed), let stored = keys.last(where: { $0.key.id == id })
        else { throw .integrity }
        text.start(tenant)
        describe(&text)
        do {
            return try stored.key.open(sealed, associated: text.octets)
        } catch {
            throw SQLiteError(error)
        }
    }

    /// Whether these octets are sealed with the key in use.
    func isCurrent(_ sealed: [UInt8]) -> Bool { DataKey.id(of: sealed) == active?.key.id }

    /// What is not sealed is read where it may be: someone could have put it there otherwise.
    func admitPlain() throws(SQLiteError) {
        guard let active else { return }
        guard !active.isComplete, directory.acceptsPlain else { throw .integrity }
    }
}

extension SQLiteError {
    /// Something that is sealed is not what was sealed there.
    static let integrity = SQLiteError(
        code: integrityCode, systemError: 0, operation: "open sealed value")

    /// An extension of `SQLITE_CORRUPT` that SQLite itself does not use.
    private static let integrityCode: Int32 = SQLITE_CORRUPT | 127 << 8

    /// Whether it concerns what one jar holds, and nothing else of the tenant.
    var isIntegrityFailure: Bool { code == Self.integrityCode }

    init(_ error: SealingError) {
        switch error {
        case .malformed, .unknownKey, .forged: self = .integrity
        case .engine(let operation):
            self.init(code: SQLITE_ERROR, systemError: 0, operation: "libcrypto: \(operation)")
        }
    }
}
