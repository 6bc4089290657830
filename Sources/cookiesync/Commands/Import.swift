// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient
internal import CookieSyncWire

/// Stores the cookies of a file.
enum Import {
    /// More than the service takes by default, so that it is the one to say what its limit is.
    private static let maximumBytes = 1 << 30
    private static let uuidOption = "cookiecloud-uuid"
    private static let passwordOption = "cookiecloud-password-file"
    /// More than a field of a request may have.
    private static let maximumPasswordBytes = 64 << 10

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let given = try VerbArguments(
            arguments, options: ["format", "url", uuidOption, passwordOption],
            switches: ["json", "partial"])
        let path = try given.operand("a file, or - for the standard input,")
        let reading = try reading(given)
        let file = try Terminal.read(path, keeping: maximumBytes)
        let bar = ProgressBar(total: file.count)
        defer { bar.remove() }
        let report = try RemoteStore.call(given.settings) {
            store async throws(ClientError) in
            try await store.importFile(file, reading, progress: bar.show)
        }
        bar.remove()
        if given.has("json") { return try Terminal.write(report) }
        try Terminal.write(
            line: "\(Terminal.printable(report.format)): \(report.stored) stored, "
                + "\(report.replaced) replaced, \(report.unchanged) unchanged, "
                + "\(report.rejected) rejected")
        for entry in report.entries where entry.outcome == "rejected" {
            try Terminal.write(
                line: Terminal.printable("rejected \(entry.position): \(entry.reason ?? "")"))
        }
    }

    private static func reading(_ given: VerbArguments) throws(Failure) -> FileReading {
        var reading = FileReading(format: given.option("format"))
        reading.url = given.option("url")
        reading.takesPartial = given.has("partial")
        switch (given.option(uuidOption), given.option(passwordOption)) {
        case (nil, nil): break
        case (let uuid?, let path?):
            // From a file, as arguments are seen by everyone on the machine. Editors end it with a line feed.
            var password = try Terminal.read(path, keeping: maximumPasswordBytes)
            if password.last == UInt8(ascii: "\n") { password.removeLast() }
            reading.cookieCloud = CookieCloudAccess(uuid: uuid, password: SecretBytes(password))
        default:
            throw Failure(.usage, "--\(uuidOption) and --\(passwordOption) go together")
        }
        return reading
    }
}
