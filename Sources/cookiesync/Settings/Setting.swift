// SPDX-License-Identifier: Apache-2.0

/// One row of the settings table: everything that is to be known about a setting, in one place.
///
/// The command line, the environment, the configuration file, `--help` and docs/configuration.md all come from
/// it.
struct Setting: Sendable {
    /// What a setting's text may be.
    enum Kind: Sendable {
        case text
        case path
        case flag
        case choice([String])
        case number(ClosedRange<Int>)
        /// Octets, with the unit `KiB`, `MiB` or `GiB` or none.
        case bytes(ClosedRange<Int>)
        /// Milliseconds, written with the unit `ms`, `s`, `m` or `h`.
        case duration(ClosedRange<Int>)
    }

    let name: String
    let kind: Kind
    /// What holds when nothing is said, as one would write it; nil when there is no such text.
    let standard: String?
    /// Stands in the place of the default where there is none.
    let standardMeaning: String
    let meaning: String

    init(
        _ name: String, _ kind: Kind, default standard: String?,
        or standardMeaning: String = "none",
        _ meaning: String
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.standardMeaning = standardMeaning
        self.meaning = meaning
    }

    /// `COOKIESYNC_DATA_DIR` for `data-dir`.
    var environmentName: String {
        Self.environmentPrefix
            + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
    }

    static let environmentPrefix = "COOKIESYNC_"
}

/// A setting's value once it was found to be well-formed and in range.
enum SettingValue: Sendable, Equatable {
    case text(String)
    case flag(Bool)
    /// A count, octets or milliseconds, whichever the setting's kind says.
    case number(Int)
}
