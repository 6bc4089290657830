// SPDX-License-Identifier: Apache-2.0
// fuzz: CookieFormats Cookies CookieSyncWire

import CookieSyncWire
import Cookies

/// A file of cookies: the first octet says of which format, or that the content decides, and the second where it is cut
/// into pieces.
///
/// A file is read the same however it comes, and what is read can be written in every format.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieFiles(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard count >= 2 else { return 0 }
    let named = input[0] < 16 ? CookieFormat.allCases[Int(input[0]) % 8] : nil
    let file = Array(input[2...])
    var context = ReadingContext(
        now: Timestamp(seconds: 1_796_040_000), url: Array("https://www.example.com/".utf8),
        takesPartial: input[1] & 1 == 0)
    // What comes out of decryption is as wild as any file.
    context.decrypt = { $0.bytes }
    let whole = read(file, as: named, context, by: .max)
    let pieces = read(file, as: named, context, by: Int(input[1]) + 1)
    precondition(whole?.count == pieces?.count, "another number of entries in pieces")
    for entry in whole ?? [] {
        if case .cookie(let cookie) = entry.content { write(cookie) }
    }
    return 0
}

private func read(
    _ file: [UInt8], as named: CookieFormat?, _ context: ReadingContext, by size: Int
) -> [FileEntry]? {
    var reader = CookieFileReader(as: named, context)
    var rest = file[...]
    do throws(CookieFileError) {
        while !rest.isEmpty {
            try reader.take(rest.prefix(size))
            rest = rest.dropFirst(size)
        }
        _ = try reader.finish()
        return reader.entries
    } catch {
        return nil
    }
}

private func write(_ finished: FinishedCookie) {
    let time = Timestamp(milliseconds: 0)
    let cookie = Cookie(
        identity: CookieIdentity(
            name: finished.name, domain: finished.domain, hostOnly: finished.hostOnly ?? true,
            path: finished.path, partitionKey: finished.partitionKey), value: finished.value,
        secure: finished.secure, httpOnly: finished.httpOnly, sameSite: finished.sameSite,
        expires: finished.expires, createdAt: time, creationOrder: 1, updatedAt: time, version: 1,
        lastAccess: time, wasSession: false, source: .imported, legacy: finished.legacy)
    var store = CookieStore()
    store.insert(contentsOf: [cookie])
    var context = WritingContext()
    context.propertyForm = .propertyList
    for format in CookieFormat.allCases {
        var bytes: [UInt8] = []
        var writer = format.writer(CookieSelection(store), context)
        precondition(writer?.write(into: &bytes) != true, "more than one cookie")
    }
}
