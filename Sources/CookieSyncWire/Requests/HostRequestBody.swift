// SPDX-License-Identifier: Apache-2.0

/// Which addresses a host has; `HostRequest` in openapi.yaml.
public struct HostRequestBody: RequestBody {
    /// The most addresses of one host.
    public static let maximumAddresses = 256

    /// The addresses, in any spelling.
    public let addresses: [[UInt8]]

    /// Reads the body out of a checked JSON text.
    ///
    /// What an answer says besides is ignored, so that it can be put back.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["addresses", "host"])
        let list = try object.required("addresses")
        var addresses: [[UInt8]] = []
        for element in try list.elements(atMost: Self.maximumAddresses) {
            addresses.append(try element.string())
        }
        guard !addresses.isEmpty else { throw list.error("must have at least one element") }
        self.addresses = addresses
    }
}
