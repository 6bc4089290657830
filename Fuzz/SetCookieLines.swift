// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// A line of Set-Cookie.
///
/// What was parsed keeps the promises of the parser, and says the same again when it is written as a line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSetCookieLines(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let line = Array(UnsafeBufferPointer(start: start, count: count))
    guard let cookie = try? SetCookie(parsing: line) else { return 0 }
    let (name, value) = (cookie.name, cookie.value.bytes)
    precondition(
        (1...4_096).contains(name.count + value.count), "empty, or longer than a cookie may be")
    for byte in name + value {
        precondition(byte != UInt8(ascii: ";") && byte != 0x7F, "a byte that ends a cookie")
        precondition(byte >= 0x20 || byte == 0x09, "a control character")
    }
    precondition(!name.contains(UInt8(ascii: "=")), "a name that ends later")
    precondition((cookie.domain?.count ?? 0) <= 1_024 && (cookie.path?.count ?? 0) <= 1_024)

    guard let again = try? SetCookie(parsing: written(cookie)) else {
        preconditionFailure("what was parsed does not parse")
    }
    precondition(again.name == name && again.value == cookie.value, "another name or value")
    precondition(again.domain == cookie.domain && again.path == cookie.path, "another scope")
    precondition(again.maxAge == cookie.maxAge, "another age")
    precondition(again.secure == cookie.secure && again.httpOnly == cookie.httpOnly)
    precondition(again.sameSite == cookie.sameSite && again.partitioned == cookie.partitioned)
    return 0
}

private func written(_ cookie: SetCookie) -> [UInt8] {
    var line = cookie.name + [UInt8(ascii: "=")] + cookie.value.bytes
    if let domain = cookie.domain { line += Array("; Domain=".utf8) + domain }
    if let path = cookie.path { line += Array("; Path=".utf8) + path }
    if let age = cookie.maxAge { line += "; Max-Age=\(age)".utf8 }
    if cookie.secure { line += "; Secure".utf8 }
    if cookie.httpOnly { line += "; HttpOnly".utf8 }
    if cookie.partitioned { line += "; Partitioned".utf8 }
    if cookie.sameSite != .unset { line += "; SameSite=\(cookie.sameSite)".utf8 }
    return line
}
