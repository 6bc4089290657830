// SPDX-License-Identifier: Apache-2.0
// fuzz: Cookies

/// Lines that were folded into one.
///
/// Nothing but the commas and the blanks between lines is lost, each line after the first begins like a cookie, and
/// splitting a line again leaves it whole.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFoldedHeaders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = Array(UnsafeBufferPointer(start: start, count: count))
    let folded = FoldedHeader(splitting: text)
    precondition(!folded.lines.isEmpty, "no line at all")
    precondition(
        solid(folded.lines.joined(separator: [UInt8(ascii: ",")])) == solid(text), "octets are lost"
    )
    precondition(
        folded.lines.dropFirst().allSatisfy { $0.contains(UInt8(ascii: "=")) }, "no cookie")
    for line in folded.lines {
        precondition(FoldedHeader.split(line).count == 1, "a line that is two")
    }
    return 0
}

private func solid(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.filter { $0 != 0x20 && $0 != 0x09 }
}
