// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Runs the service.
enum Serve {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        _ = settings
    }
}
