// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

/// A file of cookies that the service wrote.
public struct ExportedFile: Sendable {
    /// The file.
    public let content: SecretBytes
    /// What some cookie has and the file does not.
    public let lostAttributes: [String]
}

extension StoreClient {
    /// Stores the cookies of a file.
    ///
    /// - Parameters:
    ///   - file: The file's bytes.
    ///   - format: Its format, as the API names it; nil to let the service find out.
    ///   - conditions: What must hold for it; by default, that it is made once.
    ///   - progress: Hears how many octets have been handed over.
    /// - Returns: How many entries had which outcome, and each entry's.
    /// - Throws: Why nothing was stored.
    public func importFile(
        _ file: [UInt8], format: String? = nil, conditions: WriteConditions = .once,
        progress: (@Sendable (_ sent: Int) -> Void)? = nil
    ) async throws(ClientError) -> ImportReport {
        var call = APICall(method: "POST", path: path + ["import"], conditions: conditions)
        if let format { call.query.append(("format", format)) }
        call.body = ("application/octet-stream", file)
        call.progress = progress
        return try await caller.body(ImportReport.self, of: call)
    }

    /// Writes the store's cookies into a file.
    public func exportFile(format: String) async throws(ClientError) -> ExportedFile {
        var call = APICall(method: "GET", path: path + ["export"])
        call.query.append(("format", format))
        let response = try await caller.answer(call)
        let lost = response.field("x-lost-attributes") ?? ""
        return ExportedFile(
            content: SecretBytes(response.body),
            lostAttributes: lost.split(separator: ",").map { part in
                String(part.drop { $0 == " " })
            })
    }
}
