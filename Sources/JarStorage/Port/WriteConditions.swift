// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// At which revision a jar has to be for a write to take place (RFC 9110 section 13.1.1).
public enum ExpectedRevision: Hashable, Sendable {
    /// At whichever, but it has to exist.
    case any
    /// At one of these.
    case oneOf(Set<Revision>)

    /// Whether a jar is.
    public func isMet(by jar: JarState) -> Bool {
        switch self {
        case .any: jar.isPresent
        case .oneOf(let revisions): revisions.contains(jar.revision)
        }
    }
}

/// Names a write of a tenant that is to take effect once, however often it is asked for.
public struct WriteKey: Hashable, Sendable {
    /// What the caller calls it.
    public let key: [UInt8]
    /// What tells one request from another: a key means the same only for the same request.
    public let fingerprint: [UInt8]
    /// When it is asked for.
    public let at: Timestamp
    /// Until when its answer is kept.
    public let expires: Timestamp

    /// A key made of its parts.
    public init(key: [UInt8], fingerprint: [UInt8], at: Timestamp, expires: Timestamp) {
        self.key = key
        self.fingerprint = fingerprint
        self.at = at
        self.expires = expires
    }
}

/// What came of a write that takes effect once.
public enum OnceAnswer<Refusal: Sendable>: Sendable {
    /// The octets of the answer: of this write, or of the one with the same key and fingerprint that came before.
    case answered([UInt8])
    /// The operation refused; nothing has changed and nothing is kept.
    case refused(Refusal)
}

/// An answer that is kept for a key.
public struct KeptAnswer: Sendable {
    /// The fingerprint of the request that was answered.
    public let fingerprint: [UInt8]
    /// The octets.
    public let body: [UInt8]

    /// A kept answer.
    public init(fingerprint: [UInt8], body: [UInt8]) {
        self.fingerprint = fingerprint
        self.body = body
    }

    /// Its octets, if it is the answer to the request that the key stands for now.
    public func result(for key: WriteKey) -> Result<[UInt8], JarStorageError> {
        fingerprint == key.fingerprint ? .success(body) : .failure(.keyReused)
    }
}
