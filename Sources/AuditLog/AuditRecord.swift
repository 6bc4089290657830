// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire

/// Something that was done, by whom and to what: names and ids only, never a value, a token or a key.
public struct AuditRecord: Sendable {
    /// When, in milliseconds since the epoch.
    public var at: Int64
    /// What: an operation of the API, or an event of the service.
    public var action: String
    /// Who: `admin`, `anyone`, the id of a token, or `service`.
    public var actor: String
    /// The request, empty for an event of the service.
    public var requestID: String
    /// Where the request came from.
    public var source: String
    /// The tenant, jar, store and token that the request named, those that it did.
    public var tenant, jar, store, token: [UInt8]?
    /// What the catalogue of tenants and tokens is known by after it, 32 hexadecimal digits; nil where it was not changed.
    public var mark: [UInt8]?
    /// What came of it: the status of the answer.
    public var status: Int

    /// Something that was done; what it was done to is added.
    public init(
        at: Int64, action: String, actor: String, requestID: String = "", source: String = "",
        status: Int = 200
    ) {
        self.at = at
        self.action = action
        self.actor = actor
        self.requestID = requestID
        self.source = source
        self.status = status
    }

    /// The longest name that a line shows; it is cut there.
    private static let maximumName = 256

    /// Writes the record's members.
    func encode(to writer: inout JSONWriter) {
        writer.name("at")
        writer.time(at)
        writer.name("action")
        writer.string(action)
        writer.name("actor")
        writer.string(actor)
        writer.name("request_id")
        writer.string(requestID)
        writer.name("source")
        writer.string(source)
        if let tenant { Self.encode("tenant", tenant, to: &writer) }
        if let jar { Self.encode("jar", jar, to: &writer) }
        if let store { Self.encode("store", store, to: &writer) }
        if let token { Self.encode("token", token, to: &writer) }
        if let mark {
            writer.name("catalogue")
            writer.string(mark)
        }
        writer.name("status")
        writer.integer(status)
    }

    // Names come from paths that were only routed so far: anything but printable ASCII is made visible.
    private static func encode(
        _ member: StaticString, _ name: [UInt8], to writer: inout JSONWriter
    ) {
        writer.name(member)
        writer.string(
            name.prefix(maximumName).map { 0x20..<0x7F ~= $0 ? $0 : UInt8(ascii: "?") })
    }
}
