// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// A cookie date.
///
/// A date lies in the years that four digits can name, is whole seconds, and does not depend on blanks around it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCookieDates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let date = CookieDate.parse(text)
    if let date {
        precondition(date >= Timestamp(seconds: -11_644_473_600), "before 1601")
        precondition(date < Timestamp(seconds: 253_402_300_800), "after 9999")
        precondition(date.milliseconds % 1000 == 0, "no whole second")
    }
    precondition(CookieDate.parse([0x20] + text + [0x20]) == date, "blanks make a difference")
    return 0
}
