// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// A URL, and the same bytes as a host and as a reference that another URL is the base of.
///
/// What was read is in its canonical form: written out and read again, it is the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHostsAndURLs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let names = HexNames()
    if let host = Host(text, names: names) { check(host) }
    let url = try? RequestURL(parsing: text, names: names)
    precondition(url?.base == (try? CookieURL(parsing: text, names: names)), "two readings")
    if let url { check(url) }
    guard
        let base = try? RequestURL(
            parsing: Array("https://u@a.example:1/b/c?q#f".utf8), names: names)
    else { preconditionFailure("the base does not parse") }
    if let target = try? base.resolving(text, names: names) { check(target) }
    // A URL that stands for itself does so at any base of another scheme.
    if let url, url.base.scheme != .https {
        precondition((try? base.resolving(text, names: names)) == url, "another target")
    }
    return 0
}

private func check(_ url: RequestURL) {
    check(url.base.host)
    precondition(url.base.path.first == UInt8(ascii: "/"), "a path that is none")
    precondition(
        url.text.allSatisfy { (0x21...0x7E).contains($0) }, "an octet that was not encoded")
    precondition((try? RequestURL(parsing: url.text, names: HexNames())) == url, "another URL")
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
