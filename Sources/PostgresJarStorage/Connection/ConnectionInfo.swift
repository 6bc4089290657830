// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// Where the database is: a connection string in either of libpq's forms, several hosts included.
public struct ConnectionInfo: Sendable {
    private let text: String
    /// Whether the string itself holds a password.
    public let holdsPassword: Bool

    /// The connection that the string describes; nil when libpq cannot read it.
    ///
    /// libpq's own message is not passed on: it may quote the string, with its password.
    public init?(_ text: String) {
        guard let options = PQconninfoParse(text, nil) else { return nil }
        defer { PQconninfoFree(options) }
        var holdsPassword = false
        var option = options
        while let keyword = option.pointee.keyword {
            if option.pointee.val != nil,
                ["password", "sslpassword"].contains(String(cString: keyword))
            {
                holdsPassword = true
            }
            option += 1
        }
        self.text = text
        self.holdsPassword = holdsPassword
    }

    /// Opens a connection, which takes at most `connect_timeout` (3 s unless the string says otherwise) for each host.
    ///
    /// What stands first gives way to the string: only a server that takes writes will do, and one that has gone without
    /// a word is noticed.
    func connect() -> OpaquePointer? {
        let defaults = [
            ("connect_timeout", "3"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("keepalives_count", "3"),
            ("target_session_attrs", "read-write"), ("fallback_application_name", "cookiesync"),
            ("dbname", text), ("client_encoding", "UTF8"),
        ]
        return Self.withCStrings(defaults.map(\.0)) { keywords in
            Self.withCStrings(defaults.map(\.1)) { values in
                PQconnectdbParams(keywords, values, 1)
            }
        }
    }

    /// Calls `body` with the strings as C has them, a null pointer behind the last.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result?
    ) -> Result? {
        var pointers: [UnsafePointer<CChar>?] = []
        let copies = strings.map { string in
            let utf8 = string.utf8CString
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: utf8.count)
            for (index, byte) in utf8.enumerated() { (copy + index).initialize(to: byte) }
            return copy
        }
        defer { for copy in copies { copy.deallocate() } }
        pointers = copies.map { UnsafePointer($0) } + [nil]
        return pointers.withUnsafeBufferPointer { buffer in buffer.baseAddress.flatMap(body) }
    }
}
