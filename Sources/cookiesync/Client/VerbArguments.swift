// SPDX-License-Identifier: Apache-2.0

/// The arguments of a verb that talks to a service: its operands, its own options, and settings.
struct VerbArguments {
    /// What stands by itself, such as a file; `-` is one, too.
    private(set) var operands: [String] = []
    /// The settings, from all of their places.
    let settings: Settings
    private var options: [String: String] = [:]
    private var switches: Set<String> = []

    /// Tells a verb's own options, each with a value, and its switches, without one, from settings.
    init(
        _ arguments: ArraySlice<String>, options known: [String] = [],
        switches knownSwitches: [String] = []
    ) throws(Failure) {
        var forSettings: [String] = []
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            guard argument.hasPrefix("--") else {
                operands.append(argument)
                continue
            }
            let parts = argument.dropFirst(2).split(
                separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if knownSwitches.contains(name) {
                guard parts.count == 1 else { throw Failure(.usage, "--\(name): takes no value") }
                switches.insert(name)
            } else if known.contains(name) {
                guard let value = parts.count > 1 ? String(parts[1]) : rest.next() else {
                    throw Failure(.usage, "--\(name): needs a value")
                }
                guard options.updateValue(value, forKey: name) == nil else {
                    throw Failure(.usage, "--\(name): given twice")
                }
            } else {
                forSettings.append(argument)
                if parts.count == 1, let value = rest.next() { forSettings.append(value) }
            }
        }
        settings = try SettingsReader.read(
            arguments: forSettings, environment: Environment.all)
    }

    /// The value of one of the verb's options; nil when it was not given.
    func option(_ name: String) -> String? { options[name] }

    /// Whether one of the verb's switches was given.
    func has(_ name: String) -> Bool { switches.contains(name) }

    /// The one operand of a verb that takes one.
    func operand(_ meaning: String) throws(Failure) -> String {
        guard operands.count == 1 else {
            throw Failure(.usage, "\(meaning) is needed, and nothing besides")
        }
        return operands[0]
    }
}
