// SPDX-License-Identifier: Apache-2.0

/// The help texts, made from the tables of commands and settings.
enum Help {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        switch arguments {
        case []: print(usage + "\n" + text(of: SettingsTable.sections), terminator: "")
        case ["settings"]: print(settingsAsMarkdown, terminator: "")
        default:
            guard arguments.count == 1, let verb = arguments.first.flatMap(Command.init) else {
                throw Failure(.usage, "help takes no argument but a command or `settings`")
            }
            tell(of: verb)
        }
    }

    /// Prints what one command does, and the settings that it takes.
    static func tell(of command: Command) {
        print("Usage: cookiesync \(command.rawValue) [--SETTING VALUE]...\n")
        print("  \(command.rawValue) \(command.summary)\n")
        switch command {
        case .version, .help: break
        default:
            let sections = SettingsTable.sections.filter { $0.isForClients == command.isClient }
            print(text(of: sections), terminator: "")
        }
    }

    static var usage: String {
        var text = "Usage: cookiesync COMMAND [--SETTING VALUE]...\n\nCommands:\n"
        for command in Command.allCases {
            text += "  \(padded(command.rawValue, to: 12)) \(command.summary)\n"
        }
        return text
    }

    private static func text(of sections: [SettingsTable.Section]) -> String {
        var text = """
            Settings, each also as COOKIESYNC_NAME in the environment and as `name = value` in the
            configuration file; a flag beats the environment, the environment beats the file.

            """
        for section in sections {
            text += "\n\(section.title):\n"
            for setting in section.settings {
                text += "  --\(padded(setting.name, to: 26)) \(setting.meaning)\n"
                text += "    \(padded("", to: 26)) \(setting.facts)\n"
            }
        }
        return text
    }

    private static var settingsAsMarkdown: String {
        var text = ""
        for section in SettingsTable.sections {
            text += """
                ### \(section.title)

                | setting | environment | value | default | range | meaning |
                |---|---|---|---|---|---|

                """
            for setting in section.settings {
                let range = setting.kind.maximum.isEmpty ? "" : setting.range
                let standard = setting.standard.map { "`\($0)`" } ?? setting.standardMeaning
                text += "| `\(setting.name)` | `\(setting.environmentName)` | \(setting.kind.form) "
                text += "| \(standard) | \(range) | \(setting.meaning) |\n"
            }
            text += "\n"
        }
        return text
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.utf8.count))
    }
}

extension Setting {
    fileprivate var range: String { "\(kind.minimum) to \(kind.maximum)" }

    /// How it is written, its range and its default, in one line.
    fileprivate var facts: String {
        let limits = kind.maximum.isEmpty ? "" : ", \(range)"
        return "\(kind.form)\(limits); default \(standard ?? standardMeaning)"
    }
}
