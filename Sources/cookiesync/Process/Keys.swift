// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Sealing

/// Reads the keys that the settings name, and makes the first one.
enum Keys {
    /// The keys; nil when none is set.
    static func read(_ settings: Settings) throws(Failure) -> KeyRing? {
        guard let path = settings.text(.keyFile) else {
            guard settings.text(.oldKeyFile) == nil else {
                throw Failure(
                    .configuration, "old-key-file: needs key-file, the key that follows on it")
            }
            return nil
        }
        let current = try read(path, .keyFile)
        guard let old = settings.text(.oldKeyFile) else { return KeyRing(current: current) }
        return KeyRing(current: current, previous: try read(old, .oldKeyFile))
    }

    /// Makes the key file, and the directory, of a data directory that is not there yet, or holds no tenant: a new key beside data that
    /// another one sealed would only hide that the other is lost.
    static func create(_ arguments: ArraySlice<String>) throws(Failure) {
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        guard let path = settings.text(.keyFile) else {
            throw Failure(.configuration, "key-file: names the file to make, and is not set")
        }
        Hardening.apply()
        let directory = settings.text(.dataDirectory) ?? ""
        guard try Storage.isFresh(directory) else {
            throw Failure(
                .configuration,
                "data-dir: holds data already; a key for them is made by other means, see "
                    + "docs/operations.md")
        }
        // The file may lie inside it; `serve` makes it with the same mode.
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else {
            throw Failure(.configuration, "data-dir: \(File.lastError())")
        }
        do {
            try KeyFile.create(path)
        } catch {
            throw Failure(.configuration, "key-file: \(error)")
        }
    }

    private static func read(_ path: String, _ setting: Setting) throws(Failure) -> MasterKey {
        do {
            return try KeyFile.read(path)
        } catch {
            throw Failure(.configuration, "\(setting.name): \(error)")
        }
    }
}
