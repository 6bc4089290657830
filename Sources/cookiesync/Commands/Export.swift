// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient
internal import CookieSyncWire

/// Writes the store's cookies to the standard output, as a file.
enum Export {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let given = try VerbArguments(arguments, options: ["format", "url"], switches: ["json"])
        guard given.operands.isEmpty else {
            throw Failure(.usage, "export writes to the standard output and takes no file")
        }
        let format = given.option("format") ?? "netscape"
        let url = given.option("url")
        let file = try RemoteStore.call(given.settings) { store async throws(ClientError) in
            try await store.exportFile(format: format, url: url)
        }
        if given.has("json") { return try Terminal.write(ExportedFileBody(format, file)) }
        try Terminal.write(file.content.bytes)
        if !file.lostAttributes.isEmpty {
            let lost = file.lostAttributes.joined(separator: ", ")
            File.writeToStandardError(
                "cookiesync: not in the file: \(Terminal.printable(lost))\n")
        }
    }
}

/// A file and what it lacks, as JSON.
private struct ExportedFileBody: AnswerBody {
    let format: String
    let file: ExportedFile

    init(_ format: String, _ file: ExportedFile) {
        self.format = format
        self.file = file
    }

    func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("format")
        writer.string(format)
        writer.name("lost_attributes")
        writer.beginArray()
        for name in file.lostAttributes { writer.string(name) }
        writer.endArray()
        writer.member("content", orBase64: "content_base64", file.content.bytes)
        writer.endObject()
    }
}
