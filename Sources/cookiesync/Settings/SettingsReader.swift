// SPDX-License-Identifier: Apache-2.0

internal import PostgresJarStorage

/// Brings together the three places where a setting may stand: flag beats environment beats file.
///
/// What no row of the table knows is an error wherever it stands, and so is a value that breaks its row's rule.
struct SettingsReader {
    /// Variables with the settings' prefix that are not settings: the project's own tests read them.
    private static let testVariables = ["COOKIESYNC_CONFORMANCE", "COOKIESYNC_CASES"]

    private var given: [String: SettingValue] = [:]

    /// Reads flags, environment and the configuration file that either of them names.
    static func read(
        arguments: some Sequence<String>, environment: [String: String]
    ) throws(Failure) -> Settings {
        var flags = SettingsReader()
        try flags.take(arguments: arguments)
        var variables = SettingsReader()
        try variables.take(environment: environment)
        var given = variables.given.merging(flags.given) { _, flag in flag }
        if case .text(let path) = given[Setting.config.name] {
            var file = SettingsReader()
            try file.take(file: path)
            given.merge(file.given) { stronger, _ in stronger }
        }
        return Settings(given: given)
    }

    private mutating func take(arguments: some Sequence<String>) throws(Failure) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            guard argument.hasPrefix("--") else {
                throw Failure(.usage, "an argument that is no flag; every setting is --NAME VALUE")
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            let label = "--\(Self.printable(name))"
            _ = try setting(name, label: label)
            guard let value = parts.count > 1 ? String(parts[1]) : rest.next() else {
                throw Failure(.configuration, "\(label): needs a value")
            }
            guard name != Setting.storage.name || ConnectionInfo(value)?.holdsPassword != true
            else {
                throw Failure(
                    .configuration,
                    "\(label): holds a password, which others see in the list of processes; use PGPASSFILE or COOKIESYNC_STORAGE"
                )
            }
            try take(name, value, label: label)
        }
    }

    private mutating func take(environment: [String: String]) throws(Failure) {
        let prefix = Setting.environmentPrefix
        for (variable, value) in environment.sorted(by: { $0.key < $1.key }) {
            guard variable.hasPrefix(prefix), !Self.testVariables.contains(variable) else {
                continue
            }
            let setting = SettingsTable.all.first { $0.environmentName == variable }
            try take(setting?.name ?? "", value, label: Self.printable(variable))
        }
    }

    private mutating func take(file path: String) throws(Failure) {
        for entry in try ConfigurationFile.entries(path: path) {
            guard entry.key != Setting.config.name else {
                throw Failure(
                    .configuration, "\(path):\(entry.line): config: cannot stand in the file itself"
                )
            }
            let label = "\(path):\(entry.line): \(Self.printable(entry.key))"
            try take(entry.key, entry.value, label: label)
        }
    }

    private mutating func take(_ name: String, _ text: String, label: String) throws(Failure) {
        let setting = try setting(name, label: label)
        guard let value = setting.kind.parse(text) else {
            throw Failure(.configuration, "\(label): must be \(setting.kind.rule)")
        }
        guard given.updateValue(value, forKey: name) == nil else {
            throw Failure(.configuration, "\(label): given twice")
        }
    }

    private func setting(_ name: String, label: String) throws(Failure) -> Setting {
        guard let setting = SettingsTable.all.first(where: { $0.name == name }) else {
            throw Failure(.configuration, "\(label): no such setting")
        }
        return setting
    }

    /// A name that someone else wrote, fit to be shown: short and without control characters.
    private static func printable(_ name: String) -> String {
        String(
            name.unicodeScalars.prefix(64).map { (" "..."~").contains($0) ? Character($0) : "?" })
    }
}
