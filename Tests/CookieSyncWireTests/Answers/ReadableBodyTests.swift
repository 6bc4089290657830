// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CookieSyncWire

@Suite("Answers, read by a client")
struct ReadableBodyTests {
    private func rewritten<Body: ReadableBody & AnswerBody>(
        _ type: Body.Type, _ text: String
    ) throws -> String {
        var writer = JSONWriter()
        try type.init(parsing: Array(text.utf8)).encode(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static let identity =
        #""name_base64":"/w==","domain":"a.example","host_only":true,"path":"/","partition_key":null"#
    private static let cookie =
        #"{"name":"a","value":"1","domain":"a.example","host_only":false,"path_base64":"L/8=","#
        + #""partition_key":"https://a.example","secure":true,"http_only":false,"same_site":"lax","#
        + #""expires":"2026-12-01T12:00:00.250Z","created_at":"2026-11-30T12:00:00Z","#
        + #""updated_at":"2026-11-30T12:00:00Z","version":7,"was_session":false,"source":"header"}"#
    private static let header =
        #"{"url":"https://a.example/","cookie":"a=1","count":1,"expires_at":null}"#

    private static let samples: [(any (ReadableBody & AnswerBody).Type, String)] = [
        (CookiePageBody.self, #"{"cookies":[\#(cookie)],"next_cursor":"x","revision":4}"#),
        (
            VerdictsBody.self,
            #"{"revision":7,"results":[{"name":"a","outcome":"stored","reason":null,"cookie":\#(cookie),"#
                + #""evicted":[{\#(identity)}]},{"name":"","outcome":"rejected","reason":"empty-cookie","#
                + #""cookie":null}],"folded":false,"ambiguous":true}"#
        ),
        (VerdictsBody.self, #"{"revision":7,"results":[]}"#),
        (DeletedBody.self, #"{"deleted":2,"revision":8}"#),
        (
            SyncAnswerBody.self,
            #"{"revision":9,"added":1,"updated":0,"deleted":0,"unchanged":3,"results":["#
                + #"{"store":"webview",\#(identity),"action":"added","reason":"absent"}]}"#
        ),
        (
            ChangePageBody.self,
            #"{"changes":[{"revision":1,"at":"2026-11-30T12:00:00Z","store":"native","kind":"added","#
                + #""cause":"inserted","cookie":\#(cookie)},{"revision":2,"at":"2026-11-30T12:00:00Z","#
                + #""store":"native","kind":"removed","cause":"deleted","cookie":{\#(identity)}}],"#
                + #""revision":2,"more":false}"#
        ),
        (
            CookieHeaderAnswerBody.self,
            #"{"cookie":"a=1","count":1,"revision":3,"expires_at":"2026-12-01T12:00:00Z"}"#
        ),
        (CookieHeadersAnswerBody.self, #"{"results":[\#(header)],"revision":3}"#),
        (
            WebViewPlanBody.self,
            #"{"revision":3,"native":[{\#(identity),"reason":"not-utf-8","nshttpcookie":null,"android":null},"#
                + #"{\#(identity),"reason":"http-only","nshttpcookie":{"Name":"a","Value":"1","Domain":"a.example","#
                + #""Path":"/","Discard":"TRUE"},"android":{"url":"https://a.example/","line":"a=1; Path=/"}}],"#
                + #""requests":[\#(header)],"script":"x"}"#
        ),
        (
            ProblemBody.self,
            #"{"type":"urn:cookiesync:problem:x","title":"X","status":422,"detail":"Change it.","instance":"urn:x","#
                + #""offset":3,"errors":[{"pointer":"/0","detail":"is refused","reason":"invalid-name"}]}"#
        ),
    ]

    @Test("what is read and written again is the same text")
    func roundTrips() throws {
        for (type, text) in Self.samples {
            #expect(try rewritten(type, text) == text)
        }
    }

    @Test("members that are not known are passed over, and those that are missing are named")
    func openness() throws {
        #expect(
            try rewritten(DeletedBody.self, #"{"new":[1],"deleted":2,"revision":8}"#)
                == #"{"deleted":2,"revision":8}"#)
        #expect(throws: BodyError.schema(SchemaError(pointer: "/revision", detail: "is required")))
        {
            try DeletedBody(parsing: Array(#"{"deleted":2}"#.utf8))
        }
        #expect(throws: BodyError.self) { try DeletedBody(parsing: Array("[]".utf8)) }
        #expect(throws: BodyError.self) { try DeletedBody(parsing: Array("{".utf8)) }
    }
}
