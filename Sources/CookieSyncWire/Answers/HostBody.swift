// SPDX-License-Identifier: Apache-2.0

/// A host and its addresses; `Host` in openapi.yaml.
public struct HostBody: AnswerBody {
    /// The host in its canonical form.
    public let host: [UInt8]
    /// Its addresses in their canonical forms.
    public let addresses: [[UInt8]]

    /// A host made of its parts.
    public init(host: [UInt8], addresses: [[UInt8]]) {
        self.host = host
        self.addresses = addresses
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("host")
        writer.string(host)
        writer.name("addresses")
        writer.strings(addresses)
        writer.endObject()
    }
}

/// One page of a tenant's hosts; `HostPage` in openapi.yaml.
public struct HostPageBody: AnswerBody {
    /// The hosts of the page.
    public let hosts: [HostBody]
    /// Where the next page begins; nil on the last one.
    public let nextCursor: [UInt8]?

    /// A page.
    public init(hosts: [HostBody], nextCursor: [UInt8]?) {
        self.hosts = hosts
        self.nextCursor = nextCursor
    }

    /// Writes the body as one JSON value.
    public func encode(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("hosts")
        writer.array(hosts)
        writer.name("next_cursor")
        if let nextCursor { writer.string(nextCursor) } else { writer.null() }
        writer.endObject()
    }
}
