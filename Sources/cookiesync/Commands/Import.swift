// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient

/// Stores the cookies of a file.
enum Import {
    /// More than the service takes by default, so that it is the one to say what its limit is.
    private static let maximumBytes = 1 << 30

    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let given = try VerbArguments(arguments, options: ["format"], switches: ["json"])
        let path = try given.operand("a file, or - for the standard input,")
        let format = given.option("format")
        let file = try Terminal.read(path, keeping: maximumBytes)
        let bar = ProgressBar(total: file.count)
        defer { bar.remove() }
        let report = try RemoteStore.call(given.settings) {
            store async throws(ClientError) in
            try await store.importFile(file, format: format, progress: bar.show)
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
}
