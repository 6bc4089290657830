// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// A file of cookies that the service wrote.
public struct ExportedFile: Sendable {
    /// The file.
    public let content: SecretBytes
    /// What some cookie has and the file does not.
    public let lostAttributes: [String]
}

/// What the reading of a file depends on, beside the file.
public struct FileReading: Sendable {
    /// The file's format, as the API names it; nil to let the service find out.
    public var format: String?
    /// The URL that answered, for `set-cookie`.
    public var url: String?
    /// Whether what can be read of a `binarycookies` file that is cut off is stored.
    public var takesPartial = false
    /// What opens an encrypted `cookiecloud` file; nil for others.
    public var cookieCloud: CookieCloudAccess?

    /// A reading that lets the service find out the format, unless it is given.
    public init(format: String? = nil) {
        self.format = format
    }
}

/// What opens a file that CookieCloud has encrypted.
public struct CookieCloudAccess: Sendable {
    let uuid: String
    let password: SecretBytes

    /// An access.
    public init(uuid: String, password: SecretBytes) {
        self.uuid = uuid
        self.password = password
    }
}

extension StoreClient {
    /// Stores the cookies of a file.
    ///
    /// - Parameters:
    ///   - file: The file's bytes.
    ///   - reading: What it is, and how it is read.
    ///   - conditions: What must hold for it; by default, that it is made once.
    ///   - progress: Hears how many octets have been handed over.
    /// - Returns: How many entries had which outcome, and each entry's.
    /// - Throws: Why nothing was stored.
    public func importFile(
        _ file: [UInt8], _ reading: FileReading = FileReading(),
        conditions: WriteConditions = .once,
        progress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(ClientError) -> ImportReport {
        var call = APICall(method: "POST", path: path + ["import"], conditions: conditions)
        if let format = reading.format { call.query.append(("format", format)) }
        if let url = reading.url { call.query.append(("url", url)) }
        if reading.takesPartial { call.query.append(("partial", "true")) }
        if let access = reading.cookieCloud {
            let password = String(decoding: access.password.bytes, as: UTF8.self)
            call.fields = [
                ("X-CookieCloud-UUID", access.uuid), ("X-CookieCloud-Password", password),
            ]
        }
        call.body = ("application/octet-stream", file)
        call.progress = progress
        return try await caller.body(ImportReport.self, of: call)
    }

    /// Writes the store's cookies into a file.
    ///
    /// - Parameters:
    ///   - format: The file's format, as the API names it.
    ///   - url: The URL whose response the lines of `set-cookie` are of; no other format needs one.
    /// - Returns: The file, and what it does not hold.
    /// - Throws: Why there is none.
    public func exportFile(
        format: String, url: String? = nil
    ) async throws(ClientError) -> ExportedFile {
        var call = APICall(method: "GET", path: path + ["export"])
        call.query.append(("format", format))
        if let url { call.query.append(("url", url)) }
        let response = try await caller.answer(call)
        let lost = response.field("x-lost-attributes") ?? ""
        return ExportedFile(
            content: SecretBytes(response.body),
            lostAttributes: lost.split(separator: ",").map { part in
                String(part.drop { $0 == " " })
            })
    }
}
