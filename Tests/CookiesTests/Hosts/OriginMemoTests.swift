// SPDX-License-Identifier: Apache-2.0

import HostNames
import Testing

@testable import Cookies

@Suite("The memo of what the fronts of URLs mean")
struct OriginMemoTests {
    private static func read(_ text: String, _ memo: inout OriginMemo) -> Result<
        CookieURL, CookieURLError
    > {
        // Within other octets, as it stands in a body.
        let octets = Array("{\"url\":\"\(text)\"}/?#@:".utf8)
        return Result { () throws(CookieURLError) in
            try memo.read(octets[8..<(8 + text.utf8.count)])
        }
    }

    private static func parse(_ text: String) -> Result<CookieURL, CookieURLError> {
        Result { () throws(CookieURLError) in
            try CookieURL(parsing: Array(text.utf8), names: IDNA())
        }
    }

    @Test("A URL means the same whether its front is known or not")
    func sameMeaning() {
        let fronts = [
            "https://a.example", "http://a.example", "https://a.example:8443", "https://a.example.",
            "https://A.example", "https://user:a@a.example", "https://a.example@b.example",
            "https:a.example", "https:\\\\a.example", "wss:////a.example", "https://[::1]:3000",
            "http://0x7f.1", "http://b%C3%BCcher.test", "http://bücher.test", "ftp://a.example",
            "https://", "https://a..example", "https://a.example:99999", "a.example", "", ":",
            " https://a.example", "ht\ntps://a.exa\tmple", "1https://a.example",
        ]
        let rests = [
            "", "/", "\\", "/a/../b", "/?x", "?x", "#x", "/%2e%2e/ü", "?#", "/a?b#c?d",
            "/@b.example",
        ]
        var memo = OriginMemo(names: IDNA())
        for round in 0..<2 {
            for front in fronts {
                for rest in rests {
                    let text = front + rest
                    #expect(
                        Self.read(text, &memo) == Self.parse(text), "\(text), round \(round)")
                }
            }
        }
        #expect(memo.count > 10)
    }

    @Test("It holds so many fronts and no more, and none of them is wrong")
    func bounded() {
        var memo = OriginMemo(names: IDNA())
        #expect(memo.count == 0)
        for round in 0..<2 {
            for number in 0..<2_000 {
                let text = "https://n\(number).example/"
                #expect(Self.read(text, &memo) == Self.parse(text), "round \(round)")
            }
        }
        #expect(memo.count > OriginMemo.slots / 2)
        #expect(memo.count <= OriginMemo.slots)
    }

    @Test("It keeps neither what is no URL nor a long front")
    func keepsNothingElse() {
        var memo = OriginMemo(names: IDNA())
        let user = String(repeating: "u", count: OriginMemo.maximumOctets)
        for text in ["https://a..example/", "ftp://a.example/", "https://\(user)@a.example/"] {
            #expect(Self.read(text, &memo) == Self.parse(text))
            #expect(memo.count == 0, "\(text)")
        }
        let long = "https://a.example/\(user)?\(user)"
        #expect(Self.read(long, &memo) == Self.parse(long))
        #expect(memo.count == 1, "the path does not count")
    }
}
