// SPDX-License-Identifier: Apache-2.0

import Locks
import Sealing
import Synchronization

/// Whether the values of a data directory are sealed, and with which master keys: the file `KEYS` and the keys that were
/// given, brought together.
///
/// Sealing is on exactly where `KEYS` is. A fresh directory gets one with the first start that has a key; one that holds
/// data gets it from `encrypt` alone, so that a key that was put in the wrong place seals nothing.
final class DirectorySealing: Sendable {
    /// Nothing is sealed, and nothing can be.
    static let off = DirectorySealing()

    private let path: String
    /// The keys that were given.
    private let ring: KeyRing?
    private let register: Locked<KeyRegister?>
    private let isOn: Atomic<Bool>
    private let isMixed: Atomic<Bool>

    private init() {
        path = ""
        ring = nil
        register = Locked(nil)
        isOn = Atomic(false)
        isMixed = Atomic(true)
    }

    /// What the directory's file and the keys come to; makes the file of a fresh directory, and writes down a key that
    /// follows on the one that is there.
    init(_ directory: DataDirectory, _ ring: KeyRing?) throws(KeyTrouble) {
        path = "\(directory.path)/\(KeyRegister.fileName)"
        self.ring = ring
        var found = try Self.read(path)
        if let register = found {
            guard let ring else { throw .missing }
            found = try Self.match(register, ring)
        } else if let ring, try Self.isFresh(directory) {
            found = KeyRegister(acceptsPlain: false, keys: [KeyRegister.Entry(ring.current)])
        }
        register = Locked(found)
        isOn = Atomic(found != nil)
        isMixed = Atomic(found?.acceptsPlain ?? true)
        if let found, let ring, try Self.read(path) != found { try Self.write(found, ring, path) }
    }

    /// Whether these keys go with a directory, of which nothing is changed.
    static func check(_ directory: DataDirectory, _ ring: KeyRing?) throws(KeyTrouble) {
        guard let found = try read("\(directory.path)/\(KeyRegister.fileName)") else { return }
        guard let ring else { throw .missing }
        _ = try match(found, ring)
    }

    /// The keys with which values are sealed now; nil when they are stored as they are.
    var keys: KeyRing? { isOn.load(ordering: .acquiring) ? ring : nil }

    /// Whether keys were given, but the data there are not sealed.
    var isWaiting: Bool { ring != nil && keys == nil }

    /// Whether values that are not sealed are read.
    var acceptsPlain: Bool { isMixed.load(ordering: .acquiring) }

    /// Seals what is written from now on; what is there is sealed tenant by tenant.
    func turnOn() throws(KeyTrouble) {
        guard let ring else { throw .missing }
        guard keys == nil else { return }
        try change(KeyRegister(acceptsPlain: true, keys: [KeyRegister.Entry(ring.current)]), ring)
    }

    /// Says that everything is sealed with the key in use, so that no other is needed any more.
    func finish() throws(KeyTrouble) {
        guard let ring = keys else { return }
        try change(KeyRegister(acceptsPlain: false, keys: [KeyRegister.Entry(ring.current)]), ring)
    }

    private func change(_ new: KeyRegister, _ ring: KeyRing) throws(KeyTrouble) {
        try register.withLock { (register) throws(KeyTrouble) in
            if register?.keys != new.keys || register?.acceptsPlain != new.acceptsPlain {
                try Self.write(new, ring, path)
            }
            register = new
        }
        isMixed.store(new.acceptsPlain, ordering: .releasing)
        isOn.store(true, ordering: .releasing)
    }

    /// The register as these keys make it.
    private static func match(
        _ register: KeyRegister, _ ring: KeyRing
    ) throws(KeyTrouble) -> KeyRegister {
        let first = register.keys[0]
        if first.fits(ring.current) {
            try verify(register, ring.current)
            guard register.keys.count == 1 || register.keys[1].fits(ring.previous) else {
                throw .previousMissing
            }
            return register
        }
        guard let previous = ring.previous, first.fits(previous) else { throw .wrong }
        try verify(register, previous)
        guard register.keys.count == 1 else { throw .rotating }
        return KeyRegister(
            acceptsPlain: register.acceptsPlain, keys: [KeyRegister.Entry(ring.current), first])
    }

    private static func verify(_ register: KeyRegister, _ key: MasterKey) throws(KeyTrouble) {
        guard (try? register.isSigned(by: key)) == true else { throw .damaged }
    }

    private static func isFresh(_ directory: DataDirectory) throws(KeyTrouble) -> Bool {
        do {
            return try directory.tenants().isEmpty
        } catch {
            throw .file(errno: error.code, operation: error.operation)
        }
    }

    private static func read(_ path: String) throws(KeyTrouble) -> KeyRegister? {
        guard FileSystem.exists(path) else { return nil }
        let text: [UInt8]
        do {
            text = try FileSystem.contents(of: path)
        } catch {
            throw .file(errno: error.code, operation: error.operation)
        }
        guard let register = KeyRegister(text) else { throw .damaged }
        return register
    }

    private static func write(
        _ register: KeyRegister, _ ring: KeyRing, _ path: String
    ) throws(KeyTrouble) {
        guard let text = try? register.text(signedBy: ring.current) else { throw .engine }
        do {
            try FileSystem.replace(path, with: text)
        } catch {
            throw .file(errno: error.code, operation: error.operation)
        }
    }
}
