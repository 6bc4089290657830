// SPDX-License-Identifier: Apache-2.0

/// Whether the service takes requests; `Health` and `Readiness` in openapi.yaml.
public struct ReadinessBody: AnswerBody {
    /// Damage that is limited to single tenants.
    public struct Fault: AnswerBody {
        /// A stable word such as `storage-corrupt`.
        public let code: String
        /// How many tenants it concerns.
        public let tenants: Int

        /// A fault.
        public init(code: String, tenants: Int) {
            self.code = code
            self.tenants = tenants
        }

        /// Writes the body as one JSON value.
        public func encode(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.name("code")
            writer.string(code)
            writer.name("tenants")
            writer.integer(tenants)
            writer.endObject()
        }
    }

    /// The faults, by code.
    public let faults: [Fault]

    /// A service that is ready.
    public init(faults: [Fault]) {
        self.faults = faults
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("status")
        writer.string("ready")
        writer.name("faults")
        writer.array(faults)
        writer.endObject()
    }
}
