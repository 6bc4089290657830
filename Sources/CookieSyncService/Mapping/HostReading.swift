// SPDX-License-Identifier: Apache-2.0

import Cookies
import Locks

/// Reads the URLs, hosts and sites that clients name, and says where one is unusable.
struct HostReading: Sendable {
    let rules: CookieRules
    /// What is remembered of URLs; nil where nothing is.
    var origins: Locked<OriginMemo>?

    /// A URL that cookies come from.
    func url(_ text: [UInt8], at pointer: @autoclosure () -> String) throws(Problem) -> CookieURL {
        try url(text[...], at: pointer())
    }

    /// A URL that cookies come from, as a part of a longer text.
    func url(
        _ text: ArraySlice<UInt8>, at pointer: @autoclosure () -> String
    ) throws(Problem) -> CookieURL {
        do throws(CookieURLError) {
            guard let origins else { return try CookieURL(parsing: text, names: rules.names) }
            return try origins.withLock { memo throws(CookieURLError) in try memo.read(text) }
        } catch {
            throw .invalid(pointer(), error.detail)
        }
    }

    /// A URL that cookies may go to; nil for one that they never do: of another scheme, or with a host that is none.
    func readableURL(_ text: [UInt8], at pointer: String) throws(Problem) -> CookieURL? {
        do throws(CookieURLError) {
            return try CookieURL(parsing: text, names: rules.names)
        } catch {
            switch error {
            case .unsupportedScheme, .invalidHost: return nil
            case .malformed: throw .invalid(pointer, error.detail)
            }
        }
    }

    /// A URL that answered, as a request needs it.
    func requestURL(
        _ text: [UInt8], at pointer: @autoclosure () -> String
    ) throws(Problem) -> RequestURL {
        do throws(CookieURLError) {
            return try RequestURL(parsing: text, names: rules.names)
        } catch {
            throw .invalid(pointer(), error.detail)
        }
    }

    /// A host name or an address, in any spelling.
    func host(_ text: [UInt8], at pointer: @autoclosure () -> String) throws(Problem) -> Host {
        guard let host = Host(text, names: rules.names) else {
            throw .invalid(pointer(), "is neither a host name nor an address")
        }
        return host
    }

    /// Stricter than the URL standard, whose hosts may hold `*`, `;` and `,`.
    static func isHostNameOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"):
            true
        default: byte.isDigit
        }
    }

    /// The canonical form of a top-level site.
    func partitionKey(
        _ text: [UInt8]?, at pointer: @autoclosure () -> String
    ) throws(Problem) -> [UInt8]? {
        guard let text else { return nil }
        guard let key = PartitionKey.canonical(text, rules: rules) else {
            throw .invalid(pointer(), "is not a site such as https://top.example")
        }
        return key
    }

    /// The canonical form of a domain to look for.
    ///
    /// What is no host stays as it is, and is found nowhere.
    func domain(_ text: [UInt8]) -> [UInt8] {
        let name = text.first == UInt8(ascii: ".") ? Array(text.dropFirst()) : text
        return Host(name, names: rules.names)?.bytes ?? name
    }
}

extension CookieURLError {
    fileprivate var detail: String {
        switch self {
        case .unsupportedScheme: "must be an http, https, ws or wss URL"
        case .invalidHost: "has no valid host"
        case .malformed: "is not an absolute URL"
        }
    }
}
