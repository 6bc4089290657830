// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

// HAR 1.2, what browsers' developer tools and proxies record: requests and responses.
//
// The Set-Cookie fields of responses are what happened, so they are taken where there are any, against the URL of the
// request; the list `cookies` of a response, which often lacks domain, path and expiry, only where there are none.
// Some writers join several fields by a line feed, as HTTP/2 has it in their memory, or by commas. The responses are
// taken in the order of `startedDateTime`, each at its time. What requests sent has no scope and is reported.
enum HARFormat: CookieFileFormat {
    static func recognises(_ opening: FileOpening) -> Bool {
        guard let json = opening.json, !json.isArray else { return false }
        // Before the entries may come more pages than are looked at.
        return json.has("log", at: 1) && (json.has("entries", at: 2) || json.has("pages", at: 2))
    }

    static func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        HARReader()
    }
}

private struct HARReader: ElementEntryReader {
    /// How many octets of recorded lines are held until all are there to be sorted.
    private static let maximumBytes = 16 << 20

    private static let complaint = "The file is not an object with `log` and its `entries`."

    var elements = JSONElementReader(HAREntry.places)
    /// The entry that is open.
    private var open: HAREntry?
    private var isFound = false
    private var held: [(order: Timestamp, entry: FileEntry)] = []
    private var heldBytes = 0
    private var latest = Timestamp(milliseconds: .min)

    mutating func finish(into entries: inout [FileEntry]) throws(CookieFileError) {
        try finishElements(into: &entries)
        guard isFound else { throw .notTheFormat(detail: Self.complaint, offset: nil) }
        try close(into: &entries)
        // Stable: responses of one moment stay in the order of the file.
        let order = held.indices.sorted { left, right in
            (held[left].order, left) < (held[right].order, right)
        }
        entries += order.map { held[$0].entry }
        held = []
    }

    mutating func fetch(into entries: inout [FileEntry]) throws(CookieFileError) {
        for element in elements.elements {
            switch element.place {
            case HAREntry.listPlace:
                guard element.firstOctet == UInt8(ascii: "[") else {
                    throw .notTheFormat(detail: "`entries` is not an array.", offset: nil)
                }
                isFound = true
            case HAREntry.entryPlace:
                try close(into: &entries)
                open = HAREntry(element.pointer)
            default: open?.take(element)
            }
        }
        elements.elements.removeAll(keepingCapacity: true)
    }

    /// Ends the open entry: passes faults on and holds lines.
    private mutating func close(into entries: inout [FileEntry]) throws(CookieFileError) {
        var new: [FileEntry] = []
        open?.append(to: &new)
        open = nil
        for entry in new {
            guard case .response(let line) = entry.content else {
                entries.append(entry)
                continue
            }
            latest = line.time ?? latest
            held.append((order: latest, entry: entry))
            heldBytes += line.line.count + line.url.count + 64
        }
        guard heldBytes <= Self.maximumBytes else {
            throw .tooLarge(offset: 0, what: "the Set-Cookie lines of a HAR file")
        }
    }
}

/// What matters of one request and its response: a content, which may be large, is passed over.
private struct HAREntry {
    static let listPlace = 0
    static let entryPlace = 1
    static let places = [
        JSONPlace(list, needsContent: false), JSONPlace(list + [.any], needsContent: false),
        JSONPlace(list + [.any, .member("startedDateTime")]),
        JSONPlace(list + [.any, .member("request"), .member("url")]),
        JSONPlace(list + [.any, .member("request"), .member("cookies")]),
        JSONPlace(list + [.any, .member("response"), .member("headers")]),
        JSONPlace(list + [.any, .member("response"), .member("cookies")]),
    ]
    private static let list: [JSONStep] = [.member("log"), .member("entries")]

    private let pointer: String
    private var time: Timestamp?
    private var url: [UInt8]?
    private var sent: [JSONValue] = []
    private var headers: [JSONValue] = []
    private var received: [JSONValue] = []

    init(_ pointer: String) {
        self.pointer = pointer
    }

    /// Takes one of the parts, which come in any order.
    mutating func take(_ part: JSONElement) {
        let list = (try? part.value?.elements()) ?? []
        switch part.place {
        case 2: time = (try? part.value?.string()).flatMap(FileTime.parse)
        case 3: url = try? part.value?.string()
        case 4: sent = list
        case 5: headers = list
        default: received = list
        }
    }

    func append(to entries: inout [FileEntry]) {
        for index in sent.indices {
            entries.append(
                FileEntry(
                    position: .pointer("\(pointer)/request/cookies/\(index)"),
                    content: .fault(.requestCookie)))
        }
        let fields = setCookieFields()
        guard let url else {
            if !fields.isEmpty || !received.isEmpty {
                entries.append(
                    FileEntry(
                        position: .pointer("\(pointer)/request"), content: .fault(.invalidURL)))
            }
            return
        }
        guard fields.isEmpty else {
            return append(fields, listed: received.count, url, to: &entries)
        }
        for (index, cookie) in received.enumerated() {
            entries.append(
                FileEntry(
                    position: .pointer("\(pointer)/response/cookies/\(index)"),
                    content: Self.content(cookie, url, time)))
        }
    }

    /// The values of the response's Set-Cookie fields, and their places.
    private func setCookieFields() -> [(index: Int, value: [UInt8])] {
        headers.enumerated().compactMap { index, header in
            guard let object = header.openObject, let name = try? object["name"]?.string(),
                let value = try? object["value"]?.string(),
                String(decoding: name, as: UTF8.self).lowercased() == "set-cookie"
            else { return nil }
            return (index, value)
        }
    }

    private func append(
        _ fields: [(index: Int, value: [UInt8])], listed: Int, _ url: [UInt8],
        to entries: inout [FileEntry]
    ) {
        var lines = fields.flatMap { field in
            field.value.split(
                separator: UInt8(ascii: "\n"), omittingEmptySubsequences: field.value.count > 0
            ).map { (field.index, Array($0)) }
        }
        // A comma is only looked at where the list says that there were more cookies than lines.
        if lines.count < listed {
            lines = lines.flatMap { index, line in FoldedHeader.split(line).map { (index, $0) } }
        }
        for (index, line) in lines {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
            entries.append(
                FileEntry(
                    position: .pointer("\(pointer)/response/headers/\(index)"),
                    content: .response(RecordedLine(line: Array(line), url: url, time: time))))
        }
    }

    /// What an element of a response's `cookies` says.
    private static func content(
        _ element: JSONValue, _ url: [UInt8], _ time: Timestamp?
    ) -> FileEntry.Content {
        do throws(EntryFault) {
            var text = try text(element)
            // The cookie's host, as HAR has it; wider than the host that answered only with a dot, or if it is another.
            if let domain = text.domain, URLOutline(url).host == domain { text.domain = nil }
            guard text.isWritable else { throw .invalidMember }
            var line: [UInt8] = []
            text.append(to: &line)
            return .response(RecordedLine(line: line, url: url, time: time))
        } catch {
            return .fault(error)
        }
    }

    private static func text(_ element: JSONValue) throws(EntryFault) -> SetCookieText {
        guard let object = element.openObject else { throw .malformedEntry }
        var cookie = SetCookieText()
        guard let name = try object.text("name") else { throw .missingName }
        guard let value = try object.text("value") else { throw .missingValue }
        (cookie.name, cookie.value) = (name, value)
        cookie.domain = try object.text("domain").flatMap { $0.isEmpty ? nil : $0 }
        cookie.path = try object.text("path").flatMap { $0.isEmpty ? nil : $0 }
        cookie.secure = try object.flag("secure") ?? false
        cookie.httpOnly = try object.flag("httpOnly") ?? false
        cookie.expires = try expiry(object)
        cookie.sameSite = SameSite(word: try object.text("sameSite") ?? [])
        return cookie
    }

    private static func expiry(_ object: JSONObject) throws(EntryFault) -> Timestamp? {
        guard let member = object["expires"], !member.isNull else { return nil }
        guard member.isString else { return try object.expiry("expires") }
        let text = try object.text("expires") ?? []
        // The year 1 is how .NET writes none, and a second before 1970 how a -1 looks.
        if text.starts(with: "0001-".utf8) { return nil }
        let time = try FileTime.expiry(text)
        return time?.milliseconds == -1000 ? nil : time
    }
}
