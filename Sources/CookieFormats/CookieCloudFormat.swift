// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// What CookieCloud keeps: an object whose `cookie_data` has, for each domain, the cookies as an extension sees them; or
// that text encrypted, as `encrypted` with `crypto_type`. Its first versions had the content of `cookie_data` alone.
//
// The same cookie may be listed for several domains.
enum CookieCloudFormat: WritableFileFormat {
    static func mediaType(_ context: WritingContext) -> StaticString { "application/json" }

    /// An encrypted text is one string, and can only be opened as a whole.
    private static let limits: JSONElementLimits = {
        var limits = JSONElementLimits()
        limits.stringBytes = WholeFileReader.maximumBytes
        limits.elementBytes = WholeFileReader.maximumBytes
        return limits
    }()

    static func recognises(_ opening: FileOpening) -> Bool {
        guard let json = opening.json, !json.isArray else { return false }
        return json.has("cookie_data", at: 1) || json.has("encrypted", at: 1)
            || !json.has("cookies", at: 1) && json.has("domain", at: 3) && json.has("name", at: 3)
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        if opening.json?.has("encrypted", at: 1) ?? false { return EncryptedReader(context) }
        return plainReader(opening)
    }

    private static func plainReader(_ opening: FileOpening) -> JSONFileReader {
        let isBare =
            !(opening.json?.has("cookie_data", at: 1) ?? false)
            && opening.json?.has("domain", at: 3) ?? false
        let list: [JSONStep] = isBare ? [] : [.member("cookie_data")]
        return JSONFileReader(
            [
                JSONPlace(list + [.any, .any]), JSONPlace(list, needsContent: false),
                JSONPlace([.member("local_storage_data"), .any], needsContent: false),
            ], needed: 1, complaint: "The file is not an object with `cookie_data`.",
            limits: limits
        ) { element, entries throws(CookieFileError) in
            switch element.place {
            case 0:
                entries.append(
                    FileEntry(.pointer(element.pointer)) { () throws(EntryFault) in
                        guard let value = element.value else { throw .malformedEntry }
                        return try ExtensionFormat.cookie(value)
                    })
            case 2:
                entries.append(
                    FileEntry(
                        position: .pointer(element.pointer), content: .fault(.localStorage)))
            default:
                guard element.firstOctet == UInt8(ascii: "{") else {
                    throw .notTheFormat(detail: "`cookie_data` is not an object.", offset: nil)
                }
            }
        }
    }

    /// Holds the encrypted text until it is there, and reads what is in it.
    private struct EncryptedReader: EntryReader {
        private let context: ReadingContext
        private var elements = JSONElementReader(
            [JSONPlace([.member("encrypted")]), JSONPlace([.member("crypto_type")])],
            limits: limits)

        init(_ context: ReadingContext) {
            self.context = context
        }

        mutating func take(
            _ piece: ArraySlice<UInt8>, into entries: inout [FileEntry]
        ) throws(CookieFileError) {
            do throws(JSONError) {
                try elements.take(piece)
            } catch {
                throw CookieFileError(error)
            }
        }

        mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError) {
            do throws(JSONError) {
                try elements.finish()
            } catch {
                throw CookieFileError(error)
            }
            let plain = try decrypted()
            let opening = FileOpening(
                Array(plain.prefix(FileOpening.size)), isWhole: plain.count <= FileOpening.size)
            var reader = plainReader(opening)
            do throws(CookieFileError) {
                try reader.take(plain[...], into: &entries)
                try reader.finish(into: &entries)
            } catch {
                // A wrong password may give something that only looks decrypted; where it stops being JSON says nothing.
                if case .notTheFormat = error { throw CookieCloudFormat.wrongPassword }
                throw error
            }
        }

        private func decrypted() throws(CookieFileError) -> [UInt8] {
            func text(_ place: Int) -> [UInt8]? {
                let element = elements.elements.first { $0.place == place }
                return try? element?.value?.string()
            }
            guard let encrypted = text(0), let bytes = Base64.decode(encrypted) else {
                throw .notTheFormat(detail: "`encrypted` is no text in base 64.", offset: nil)
            }
            guard let decrypt = context.decrypt else {
                throw .notTheFormat(
                    detail: "The file is encrypted: send `X-CookieCloud-UUID` and"
                        + " `X-CookieCloud-Password`.", offset: nil)
            }
            let isSalted = bytes.starts(with: "Salted__".utf8)
            if let type = text(1), !isSalted, !type.elementsEqual("aes-128-cbc-fixed".utf8) {
                throw .notTheFormat(
                    detail: "`crypto_type` is neither legacy nor aes-128-cbc-fixed.", offset: nil)
            }
            let file = EncryptedFile(mode: isSalted ? .salted : .fixedVector, bytes: bytes)
            guard let plain = decrypt(file) else { throw CookieCloudFormat.wrongPassword }
            return plain
        }
    }

    private static let wrongPassword = CookieFileError.notTheFormat(
        detail: "The uuid or the password is wrong, or the file is damaged.", offset: nil)

    static func losses(of cookie: Cookie, _ context: WritingContext) -> LostAttributes {
        LostAttributes(ofJSON: cookie)
    }

    /// Groups the cookies by domain, those of hosts below another's domain with it: cookies that one request gets stay
    /// in their order.
    struct Body: FileBody {
        private var groups: [[UInt8]: [UInt8]] = [:]
        private var open: [UInt8]?

        init(_ cookies: inout CookieSelection, _ context: WritingContext) {
            let domains = Set(cookies.map(\.identity.domain))
            for domain in domains { groups[domain] = Self.highest(domain, among: domains) }
            var places: [[UInt8]: Int] = [:]
            for cookie in cookies {
                let group = self.group(of: cookie)
                places[group] = places[group] ?? places.count
            }
            var index = 0
            cookies.sort { cookie in
                index += 1
                return (places[group(of: cookie)] ?? 0, index)
            } _: {
                $0 < $1
            }
        }

        private func group(of cookie: Cookie) -> [UInt8] {
            groups[cookie.identity.domain] ?? cookie.identity.domain
        }

        private static func highest(_ domain: [UInt8], among domains: Set<[UInt8]>) -> [UInt8] {
            var highest = domain
            var rest = domain[...]
            while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
                rest = rest[(dot + 1)...]
                if domains.contains(Array(rest)) { highest = Array(rest) }
            }
            return highest
        }

        mutating func begin(into bytes: inout [UInt8]) {
            bytes += Array(#"{"cookie_data":{"#.utf8)
        }

        mutating func append(_ cookie: Cookie, into bytes: inout [UInt8]) {
            let group = group(of: cookie)
            if group == open {
                bytes.append(UInt8(ascii: ","))
            } else {
                if open != nil { bytes += Array("],".utf8) }
                bytes.appendJSON { $0.string(group) }
                bytes += Array(":[".utf8)
                open = group
            }
            ExtensionFormat.append(cookie, to: &bytes)
        }

        mutating func end(into bytes: inout [UInt8]) {
            if open != nil { bytes.append(UInt8(ascii: "]")) }
            bytes += Array(#"},"local_storage_data":{}}"#.utf8)
        }
    }
}
