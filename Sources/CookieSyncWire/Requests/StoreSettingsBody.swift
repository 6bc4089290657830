// SPDX-License-Identifier: Apache-2.0

/// The longest that a session cookie can be made to live, in seconds: 400 days.
private let maximumLifetime = 34_560_000

/// The settings of a store; `StoreSettings` in openapi.yaml.
///
/// Members that are nil stay as they are.
public struct StoreSettingsBody: RequestBody {
    /// Whose cookies it takes.
    public let acceptPolicy: AcceptPolicyWord?
    /// How it finds the cookies of a request.
    public let matching: HostMatchingWord?
    /// How long a session cookie lives in it; `.some(nil)` when it is to stay one.
    public let sessionLifetimeSeconds: Int64??

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["accept_policy", "matching", "session_lifetime_seconds"])
        acceptPolicy = try object["accept_policy"]?.choice(AcceptPolicyWord.self)
        matching = try object["matching"]?.choice(HostMatchingWord.self)
        guard let lifetime = object["session_lifetime_seconds"] else {
            sessionLifetimeSeconds = nil
            return
        }
        let seconds: Int64? =
            lifetime.isNull ? nil : Int64(try lifetime.integer(in: 1...maximumLifetime))
        sessionLifetimeSeconds = .some(seconds)
    }
}

/// Which session cookies to keep, and for how long; `PromoteRequest` in openapi.yaml.
public struct PromoteBody: RequestBody {
    /// For how many seconds.
    public let lifetimeSeconds: Int64
    /// Only cookies in this URL's scope.
    public let url: [UInt8]?

    /// Reads the body out of a checked JSON text.
    ///
    /// - Throws: What breaks the schema, with its pointer.
    public init(json: JSONValue) throws(SchemaError) {
        let object = try json.object(["lifetime_seconds", "url"])
        lifetimeSeconds = Int64(
            try object.required("lifetime_seconds").integer(in: 1...maximumLifetime))
        url = try object.string("url")
    }
}
