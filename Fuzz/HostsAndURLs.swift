// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// A URL, and the same bytes as a host.
///
/// What was read is in its canonical form: written out and read again, it is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHostsAndURLs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    if let host = Host(text, names: HexNames()) { check(host) }
    guard let url = try? CookieURL(parsing: text, names: HexNames()) else { return 0 }
    check(url.host)
    precondition(url.path.first == UInt8(ascii: "/"), "a path that is none")
    precondition(
        url.path.allSatisfy { (0x21...0x7E).contains($0) }, "an octet that was not encoded")
    let written =
        Array("\(url.scheme.rawValue)://".utf8) + url.host.bytes + Array(":\(url.port)".utf8)
        + url.path
    precondition((try? CookieURL(parsing: written, names: HexNames())) == url, "another URL")
    return 0
}

private func check(_ host: Host) {
    precondition((1...255).contains(host.bytes.count), "no length of a host")
    precondition(host.bytes.allSatisfy { (0x21...0x7E).contains($0) }, "a host that is not ASCII")
    precondition(Host(host.bytes, names: HexNames()) == host, "another host")
}

/// In place of libidn2: each octet that is not ASCII becomes two digits.
private struct HexNames: DomainNameMapping {
    func asciiForm(of name: [UInt8]) -> [UInt8]? {
        let digits = Array("0123456789abcdef".utf8)
        return name.flatMap { byte in
            byte < 0x80 ? [byte] : [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
}
