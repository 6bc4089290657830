// SPDX-License-Identifier: Apache-2.0

/// Asks the service of this machine whether it is alive: what a container's health check runs, so that its image
/// needs no HTTP client.
enum HealthCheck {
    private static let seconds = 3

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        let status = try LocalService(settings, seconds: seconds).ask("GET", "/healthz").status
        guard status == 200 else {
            throw Failure(.unavailable, "/healthz answered with status \(status)")
        }
    }
}
