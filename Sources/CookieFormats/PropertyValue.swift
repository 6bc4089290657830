// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// A value of a property dictionary, whatever it was written in.
indirect enum PropertyValue: Sendable {
    case null
    case text([UInt8])
    case number(Double)
    case flag(Bool)
    case date(Timestamp)
    case data([UInt8])
    /// An object of an archive, by its number.
    case reference(Int)
    case array([PropertyValue])
    case dictionary([(key: [UInt8], value: PropertyValue)])

    /// A value of JSON.
    init(_ json: JSONValue) {
        if json.isString {
            self = .text((try? json.string()) ?? [])
        } else if let members = try? json.members() {
            self = .dictionary(members.map { (key: $0.name, value: PropertyValue($0.value)) })
        } else if let elements = try? json.elements() {
            self = .array(elements.map { PropertyValue($0) })
        } else if let flag = try? json.bool() {
            self = .flag(flag)
        } else if let number = try? json.number() {
            self = .number(number)
        } else {
            self = .null
        }
    }
}

/// The properties of an `NSHTTPCookie`: what `HTTPCookie(properties:)` takes, with the keys that Apple documents and
/// those that are seen beside them.
struct PropertyDictionary {
    let members: [(key: [UInt8], value: PropertyValue)]

    /// The cookie that they describe.
    ///
    /// Whichever lifetime is there counts, whatever the version; Max-Age before Expires, and `Discard` before both.
    func cookie(now: Timestamp) throws(EntryFault) -> FinishedCookie {
        guard let name = try text(["Name"]) else { throw .missingName }
        guard let value = try text(["Value"]) else { throw .missingValue }
        let origin = try text(["OriginURL"]).map { URLOutline($0) }
        let domain = try text(["Domain"]).flatMap { $0.isEmpty ? nil : FileHost.withoutPort($0) }
        guard let host = domain ?? origin?.host else { throw .missingDomain }
        let path = try text(["Path"]).flatMap { $0.isEmpty ? nil : $0 }
        return FinishedCookie(
            name: name, value: value, domain: host, hostOnly: domain == nil ? true : nil,
            path: path ?? (domain == nil ? origin?.defaultPath : nil) ?? Array("/".utf8),
            secure: try flag(["Secure"]), httpOnly: try flag(["HttpOnly", "HTTPOnly"]),
            sameSite: try sameSite(), partitionKey: try partitionKey(),
            expires: try expiry(now: now), source: .imported, legacy: try legacy())
    }

    /// The first of some members that is there and is not null.
    private subscript(_ keys: [StaticString]) -> PropertyValue? {
        for key in keys {
            let member = members.first { member in
                key.withUTF8Buffer { member.key.elementsEqual($0) }
            }
            if let member {
                if case .null = member.value { continue }
                return member.value
            }
        }
        return nil
    }

    private func text(_ keys: [StaticString]) throws(EntryFault) -> [UInt8]? {
        switch self[keys] {
        case nil: return nil
        case .text(let text): return text
        case .number(let number):
            guard let text = WholeNumber.text(number) else { throw .invalidMember }
            return text
        default: throw .invalidMember
        }
    }

    private func flag(_ keys: [StaticString]) throws(EntryFault) -> Bool {
        let flag: Bool?
        switch self[keys] {
        case nil: flag = false
        case .flag(let value): flag = value
        case .number(let number): flag = FileFlag.parse(number)
        case .text(let text): flag = FileFlag.parse(text)
        default: flag = nil
        }
        guard let flag else { throw .invalidMember }
        return flag
    }

    private func sameSite() throws(EntryFault) -> SameSite {
        switch self[["SameSite", "SameSitePolicy"]] {
        case nil: return .unset
        case .text(let word): return SameSite(word: word)
        default: throw .invalidMember
        }
    }

    /// Apple's storage partition is a site; without a scheme it means the secure one.
    private func partitionKey() throws(EntryFault) -> [UInt8]? {
        guard let site = try text(["StoragePartition"]), !site.isEmpty else { return nil }
        return site.contains(UInt8(ascii: ":")) ? site : Array("https://".utf8) + site
    }

    private func expiry(now: Timestamp) throws(EntryFault) -> Timestamp? {
        if try flag(["Discard"]) { return nil }
        if let seconds = try maximumAge() { return now.adding(seconds: seconds) }
        switch self[["Expires"]] {
        case nil: return nil
        case .date(let date): return date
        case .number(let seconds): return FileTime.expiry(seconds)
        case .text(let text): return try FileTime.expiry(text)
        default: throw .invalidExpiry
        }
    }

    private func maximumAge() throws(EntryFault) -> Int64? {
        let seconds: Double?
        switch self[["Max-Age", "Maximum-Age"]] {
        case nil: return nil
        case .number(let number): seconds = number
        case .text(let text):
            if text.isEmpty { return nil }
            seconds = Double(String(decoding: text, as: UTF8.self))
        default: seconds = nil
        }
        guard let seconds, !seconds.isNaN else { throw .invalidExpiry }
        return Int64(min(max(seconds, -1e15), 1e15))
    }

    private func legacy() throws(EntryFault) -> LegacyAttributes? {
        var version: UInt8?
        if let text = try text(["Version"]), !text.isEmpty {
            guard let number = DecimalDigits.parse(text).flatMap(UInt8.init(exactly:)) else {
                throw .invalidMember
            }
            version = number
        }
        let (comment, commentURL) = (try text(["Comment"]), try text(["CommentURL"]))
        let port = try ports()
        for text in [comment, commentURL, port].compactMap({ $0 }) {
            let isPrintable = !text.contains { $0 < 0x20 || $0 == 0x7F }
            guard text.count <= LegacyAttributes.maximumOctets, isPrintable else {
                throw .invalidMember
            }
        }
        return LegacyAttributes(
            version: version, comment: comment, commentURL: commentURL, port: port)
    }

    /// A list with commas, or an array of numbers.
    private func ports() throws(EntryFault) -> [UInt8]? {
        guard case .array(let ports)? = self[["Port"]] else { return try text(["Port"]) }
        var list: [UInt8] = []
        for port in ports {
            guard case .number(let number) = port, let text = WholeNumber.text(number) else {
                throw .invalidMember
            }
            if !list.isEmpty { list.append(UInt8(ascii: ",")) }
            list += text
        }
        return list
    }
}

/// The host and the default path of a URL, as they stand; the host is judged later, as any domain is.
struct URLOutline {
    let host: [UInt8]?
    let defaultPath: [UInt8]

    init(_ url: [UInt8]) {
        var rest = url[...]
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")),
            rest[(colon + 1)...].starts(with: "//".utf8)
        {
            rest = rest[(colon + 3)...]
        }
        let ends = [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")]
        let authority = rest.prefix { !ends.contains($0) }
        let path = rest.dropFirst(authority.count).prefix { $0 != ends[1] && $0 != ends[2] }
        var host = authority
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        if let colon = host[bracket...].firstIndex(of: UInt8(ascii: ":")) { host = host[..<colon] }
        self.host = host.isEmpty ? nil : Array(host)
        let slash = path.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        defaultPath = slash == path.startIndex ? Array("/".utf8) : Array(path[..<slash])
    }
}
