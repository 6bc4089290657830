// SPDX-License-Identifier: Apache-2.0

/// What to call a backup; `BackupRequest` in openapi.yaml.
public struct BackupBody: RequestBody {
    /// Its name.
    public let name: [UInt8]

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["name"])
        name = try object.required("name").string()
    }
}
