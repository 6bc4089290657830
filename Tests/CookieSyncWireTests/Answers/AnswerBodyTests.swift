// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("The bodies of answers")
struct AnswerBodyTests {
    private func text(_ body: some AnswerBody) -> String {
        var writer = JSONWriter()
        body.encode(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private let identity = CookieIdentityBody(
        name: Array("sid".utf8), domain: Array("example.com".utf8), hostOnly: true,
        path: Array("/".utf8), partitionKey: nil)

    private var cookie: CookieBody {
        CookieBody(
            identity: identity, value: SecretBytes([0xFF]), secure: true, httpOnly: false,
            sameSite: .lax, expires: nil, createdAt: 0, updatedAt: 1_500, version: 7,
            wasSession: false, source: "header")
    }

    @Test("a cookie shows all its members, and can be put back")
    func cookies() throws {
        let written = text(cookie)
        let expected = #"""
            {"name":"sid","value_base64":"/w==","domain":"example.com","host_only":true,"path":"/",\#
            "partition_key":null,"secure":true,"http_only":false,"same_site":"lax","expires":null,\#
            "created_at":"1970-01-01T00:00:00Z","updated_at":"1970-01-01T00:00:01.500Z","version":7,\#
            "was_session":false,"source":"header"}
            """#
        #expect(written == expected)
        let back = try PutCookiesBody(json: JSONDocument(parsing: Array(written.utf8)).root)
        #expect(back.cookies[0].value == cookie.value)
        #expect(back.cookies[0].sameSite == .lax)
    }

    @Test("a verdict lists evictions only where there are some")
    func verdicts() {
        let rejected = VerdictBody(
            name: Array("a".utf8), outcome: "rejected", reason: "public-suffix", cookie: nil,
            evicted: [])
        #expect(
            text(rejected)
                == #"{"name":"a","outcome":"rejected","reason":"public-suffix","cookie":null}"#)
        let stored = VerdictBody(
            name: [], outcome: "stored", reason: nil, cookie: nil, evicted: [identity])
        #expect(text(stored).contains(#""evicted":[{"name":"sid""#))
    }

    @Test("ingest says whether it unfolded, PUT does not")
    func verdictLists() {
        #expect(
            text(
                VerdictsBody(
                    revision: 7, results: [],
                    folding: FoldingBody(isFolded: true, isAmbiguous: false)))
                == #"{"revision":7,"results":[],"folded":true,"ambiguous":false}"#)
        #expect(
            text(VerdictsBody(revision: 7, results: [], folding: nil))
                == #"{"revision":7,"results":[]}"#)
    }

    @Test("a rewrite counts its outcomes")
    func rewrites() {
        let results = ["rewritten", "rewritten", "superseded", "rejected"].map {
            RewriteResultBody(
                identity: identity, outcome: $0, reason: $0 == "rejected" ? "host-prefix" : nil)
        }
        let written = text(RewriteAnswerBody(revision: 3, results: results, evicted: []))
        #expect(
            written.hasPrefix(
                #"{"revision":3,"rewritten":2,"superseded":1,"rejected":1,"results":["#))
    }

    @Test("a problem leaves out what it does not have")
    func problems() {
        let problem = ProblemBody(
            type: "urn:x", title: "T", status: 422, detail: "D", instance: "i", offset: nil,
            errors: [ProblemBody.Item(pointer: "/a", detail: "is required")])
        let expected = #"""
            {"type":"urn:x","title":"T","status":422,"detail":"D","instance":"i",\#
            "errors":[{"pointer":"/a","detail":"is required"}]}
            """#
        #expect(text(problem) == expected)
    }
}
