// SPDX-License-Identifier: Apache-2.0

/// What a backup or a check came to; `Backup` and `Verification` in openapi.yaml.
public struct MaintenanceBody: AnswerBody {
    /// A tenant that is damaged.
    public struct Fault: AnswerBody {
        /// Its name; nil when it concerns all.
        public let tenant: [UInt8]?
        /// A stable word such as `storage-corrupt`.
        public let code: String

        /// A fault.
        public init(tenant: [UInt8]?, code: String) {
            self.tenant = tenant
            self.code = code
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("tenant")
            if let tenant { writer.string(tenant) } else { writer.null() }
            writer.name("code")
            writer.string(code)
            writer.endObject()
        }
    }

    /// The backup's name; nil for a check.
    public let name: [UInt8]?
    /// How many tenants are sound.
    public let tenants: Int
    /// How many octets their data take.
    public let bytes: Int
    /// The tenants that are not.
    public let faults: [Fault]

    /// What a run came to.
    public init(name: [UInt8]?, tenants: Int, bytes: Int, faults: [Fault]) {
        self.name = name
        self.tenants = tenants
        self.bytes = bytes
        self.faults = faults
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        if let name {
            writer.name("name")
            writer.string(name)
        }
        writer.name("tenants")
        writer.integer(tenants)
        writer.name("bytes")
        writer.integer(bytes)
        writer.name("faults")
        writer.array(faults)
        writer.endObject()
    }
}
