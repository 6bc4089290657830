// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// A line of Set-Cookie, and the same bytes as a folded header and as a date.
///
/// Nothing may trap, and what was parsed must keep the promises of the parser.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for line in [input] + FoldedHeader.split(input) {
        guard let cookie = try? SetCookie(parsing: line) else { continue }
        let name = cookie.name
        let value = cookie.value.bytes
        precondition(name.count + value.count <= 4_096, "longer than a cookie may be")
        precondition(name.count + value.count > 0, "an empty cookie")
        for byte in name + value {
            precondition(byte != UInt8(ascii: ";") && byte != 0x7F, "a byte that ends a cookie")
            precondition(byte >= 0x20 || byte == 0x09, "a control character")
        }
    }
    if let date = CookieDate.parse(input) {
        precondition(date.milliseconds >= -11_644_473_600_000, "before 1601")
    }
    return 0
}
