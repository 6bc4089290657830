// SPDX-License-Identifier: Apache-2.0

/// The value of every setting: given, or the default.
struct Settings: Sendable {
    private let given: [String: SettingValue]

    init(given: [String: SettingValue]) { self.given = given }

    /// The value of a text, path or choice; nil when it was not given and has no default.
    func text(_ setting: Setting) -> String? {
        guard case .text(let text) = value(setting) else { return nil }
        return text
    }

    /// The value of a number, octets or milliseconds; nil when it was not given and has no default.
    func number(_ setting: Setting) -> Int? {
        guard case .number(let number) = value(setting) else { return nil }
        return number
    }

    /// Whether a flag is set.
    func flag(_ setting: Setting) -> Bool { value(setting) == .flag(true) }

    private func value(_ setting: Setting) -> SettingValue? {
        given[setting.name] ?? setting.standard.flatMap { setting.kind.parse($0) }
    }
}
