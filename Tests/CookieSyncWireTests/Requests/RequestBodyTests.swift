// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

private func decode<Body: RequestBody>(_ type: Body.Type, _ text: String) throws -> Body {
    try Body(parsing: Array(text.utf8))
}

private func pointer<Body: RequestBody>(_ type: Body.Type, _ text: String) throws -> String? {
    let root = try JSONDocument(parsing: Array(text.utf8)).root
    do throws(SchemaError) {
        _ = try Body(json: root)
        return nil
    } catch {
        return error.pointer
    }
}

@Suite("Any body")
struct AnyRequestBodyTests {
    @Test("a name that is there twice is no JSON to us, unless the schema is broken anyway")
    func duplicates() {
        func error(_ text: String) -> BodyError? {
            do throws(BodyError) {
                _ = try RewriteDomainBody(parsing: Array(text.utf8))
                return nil
            } catch {
                return error
            }
        }
        guard case .json(.malformed(let offset, _)) = error(#"{"from":"a","to":"b","\u0074o":"c"}"#)
        else {
            Issue.record("the duplicate was not refused")
            return
        }
        #expect(offset == 22)
        guard case .schema = error(#"{"a":"b","a":"c"}"#) else {
            Issue.record("the schema was not looked at first")
            return
        }
    }
}

@Suite("The body of ingest")
struct IngestBodyTests {
    @Test("takes headers as pairs, as arrays and as strings")
    func headers() throws {
        let forms = [
            (#"[["Set-Cookie","a=1"],["set-cookie","b=2"],["Date","x"]]"#, false),
            (#"{"Set-Cookie":["a=1","b=2"],"Date":["x"]}"#, false),
            (#"{"set-cookie":"a=1, b=2"}"#, true),
        ]
        for (headers, isFoldable) in forms {
            let body = try decode(
                IngestBody.self, #"{"url":"https://a.example/","headers":\#(headers)}"#)
            let cookies = body.fields.filter { $0.isNamed("set-cookie") }
            #expect(cookies.count == (isFoldable ? 1 : 2))
            #expect(cookies.allSatisfy { $0.mayBeFolded == isFoldable })
        }
    }

    @Test("defaults to a dry run of nothing, same-site, over HTTP")
    func defaults() throws {
        let body = try decode(IngestBody.self, #"{"url":"u","headers":[]}"#)
        #expect(body.sameSiteContext == .strict)
        #expect(body.isHTTPAPI)
        #expect(!body.isDryRun)
        #expect(body.partitionKey == nil)
    }

    @Test("keeps names and values as they stand, and resolves escapes wherever they are")
    func texts() throws {
        let body = try decode(
            IngestBody.self,
            #"""
            {"url":"https:\/\/a.example/","headers":
            [["Set-Cookie","a=1"],["Set-Cookie","b=\"\u00e9"],["\u0053et-cookie","c"],["",""]]}
            """#)
        #expect(String(decoding: body.url, as: UTF8.self) == "https://a.example/")
        let texts = body.fields.map {
            [
                String(decoding: $0.name, as: UTF8.self),
                String(decoding: $0.secretValue, as: UTF8.self),
            ]
        }
        #expect(
            texts == [
                ["Set-Cookie", "a=1"], ["Set-Cookie", "b=\"é"], ["Set-cookie", "c"], ["", ""],
            ])
        #expect(body.fields.map { $0.isNamed("set-cookie") } == [true, true, true, false])
        #expect(!body.fields[0].isNamed("set-cookif"))
    }

    @Test("keeps NUL, CR and LF for the verdict")
    func controls() throws {
        let body = try decode(
            IngestBody.self, #"{"url":"u","headers":[["Set-Cookie","a=\u0000\r\n"]]}"#)
        #expect(Array(body.fields[0].secretValue) == Array("a=\0\r\n".utf8))
    }

    @Test(
        "names the member that breaks the schema",
        arguments: [
            (#""x""#, ""), ("1", ""), ("null", ""), ("[]", ""), ("{}", "/url"),
            (#"{"url":"u"}"#, "/headers"), (#"{"url":1,"headers":[]}"#, "/url"),
            (#"{"url":"u","headers":"a=1"}"#, "/headers"),
            (#"{"url":"u","headers":[["Set-Cookie"]]}"#, "/headers/0"),
            (#"{"url":"u","headers":[["Set-Cookie",1]]}"#, "/headers/0/1"),
            (#"{"url":"u","headers":["Set-Cookie: a=1"]}"#, "/headers/0"),
            (#"{"url":"u","headers":{"Set-Cookie":[1]}}"#, "/headers/Set-Cookie/0"),
            (#"{"url":"u","headers":{"Set-Cookie":null}}"#, "/headers/Set-Cookie"),
            (#"{"url":"u","headers":[],"dry_run":"no"}"#, "/dry_run"),
            (#"{"url":"u","headers":[],"same_site_context":"none"}"#, "/same_site_context"),
            (#"{"url":"u","headers":[],"origin_host":"a","original_url":"b"}"#, "/original_url"),
            (#"{"url":"u","headers":[],"Dry_run":true}"#, "/Dry_run"),
        ])
    func refuses(_ text: String, expected: String) throws {
        #expect(try pointer(IngestBody.self, text) == expected)
    }

    @Test("a field's value cannot be printed")
    func redaction() throws {
        let body = try decode(
            IngestBody.self, #"{"url":"u","headers":[["Set-Cookie","sid=canary"]]}"#)
        var dumped = ""
        dump(body, to: &dumped)
        #expect(!dumped.contains("canary"))
        #expect(!"\(body)".contains("canary"))
    }
}

@Suite("The body of PUT cookies")
struct PutCookiesBodyTests {
    private let cookie = #"{"name":"sid","value":"v","domain":"example.com"}"#

    @Test("takes one cookie, an array, or an object, and knows each one's pointer")
    func forms() throws {
        #expect(try decode(PutCookiesBody.self, cookie).pointer(to: 0) == "")
        #expect(try decode(PutCookiesBody.self, "[\(cookie)]").pointer(to: 0) == "/0")
        let many = try decode(PutCookiesBody.self, #"{"cookies":[\#(cookie),\#(cookie)]}"#)
        #expect(many.pointer(to: 1) == "/cookies/1")
        #expect(many.cookies.count == 2)
    }

    @Test("fills in the defaults")
    func defaults() throws {
        let body = try decode(PutCookiesBody.self, cookie).cookies[0]
        #expect(body.path == Array("/".utf8))
        #expect(!body.secure && !body.httpOnly)
        #expect(body.hostOnly == nil && body.sameSite == nil && body.expires == nil)
    }

    @Test("ignores the read-only members of what GET gave, whatever they hold")
    func readOnly() throws {
        let text = #"""
            {"name":"sid","value":"v","domain":"example.com","created_at":"2026-11-30T12:00:00Z",
            "updated_at":7,"version":[],"was_session":null,"source":{},"same_site":null,"expires":null}
            """#
        #expect(try pointer(PutCookiesBody.self, text) == nil)
    }

    @Test("takes bytes that are not UTF-8 in base 64")
    func base64() throws {
        let text = #"{"name_base64":"/w==","value_base64":"AP8=","domain":"example.com"}"#
        let body = try decode(PutCookiesBody.self, text).cookies[0]
        #expect(body.name == [0xFF])
        #expect(body.value.bytes == [0, 0xFF])
    }

    @Test("takes 500 cookies and no more")
    func limit() throws {
        func array(_ count: Int) -> String {
            "[\(Array(repeating: cookie, count: count).joined(separator: ","))]"
        }
        #expect(try decode(PutCookiesBody.self, array(500)).cookies.count == 500)
        #expect(try pointer(PutCookiesBody.self, array(501)) == "")
    }

    @Test(
        "names the member that breaks the schema",
        arguments: [
            ("\"name\":1", "/name"), ("\"value\":null", "/value"), ("\"domain\":[]", "/domain"),
            ("\"host_only\":0", "/host_only"), ("\"path\":null", "/path"),
            ("\"secure\":\"true\"", "/secure"),
            ("\"http_only\":null", "/http_only"), ("\"same_site\":\"Lax\"", "/same_site"),
            ("\"same_site\":{}", "/same_site"), ("\"partition_key\":1", "/partition_key"),
            ("\"expires\":1", "/expires"), ("\"expires\":1.0", "/expires"),
            ("\"expires\":1e400", "/expires"),
            ("\"expires\":9223372036854775808", "/expires"), ("\"expires\":\"soon\"", "/expires"),
            ("\"expires\":true", "/expires"), ("\"id\":1", "/id"), ("\"scopes\":[]", "/scopes"),
            ("\"value_base64\":\"AA==\"", "/value"), ("\"__proto__\":{}", "/__proto__"),
        ])
    func refuses(_ member: String, expected: String) throws {
        let name = member.prefix { $0 != ":" }
        let others = [#""name":"sid""#, #""value":"v""#, #""domain":"example.com""#]
            .filter { !$0.hasPrefix("\(name):") }
        let text = "{\((others + [member]).joined(separator: ","))}"
        #expect(try pointer(PutCookiesBody.self, text) == expected)
    }
}

@Suite("The bodies of sync, rewrite-domain and batch cookie-header")
struct OtherRequestBodyTests {
    @Test("sync merges by default")
    func sync() throws {
        let body = try decode(SyncBody.self, #"{"from":"a","to":"b"}"#)
        #expect(body.mode == .merge)
        #expect(body.domains.isEmpty && body.names.isEmpty && body.url == nil && !body.isDryRun)
        let full = try decode(
            SyncBody.self,
            #"{"from":"a","to":"b","mode":"two-way","filter":{"domains":["x"],"names":["n"]},"dry_run":true}"#
        )
        #expect(full.mode == .twoWay)
        #expect(full.names == [Array("n".utf8)])
        #expect(full.isDryRun)
    }

    @Test(
        "sync names the member that breaks the schema",
        arguments: [
            (#"{"from":"a"}"#, "/to"), (#"{"from":"a","to":"b","mode":"copy"}"#, "/mode"),
            (#"{"from":"a","to":"b","filter":[]}"#, "/filter"),
            (#"{"from":"a","to":"b","filter":{"name":"x"}}"#, "/filter/name"),
            (#"{"from":"a","to":"b","filter":{"names":[1]}}"#, "/filter/names/0"),
        ])
    func refusesSync(_ text: String, expected: String) throws {
        #expect(try pointer(SyncBody.self, text) == expected)
    }

    @Test("rewrite-domain is host-only by default")
    func rewrite() throws {
        let body = try decode(
            RewriteDomainBody.self, #"{"from":"203.0.113.7","to":"www.example.com"}"#)
        #expect(!body.isDomainWide && !body.isDryRun)
        #expect(try pointer(RewriteDomainBody.self, #"{"from":"203.0.113.7"}"#) == "/to")
    }

    @Test("a batch takes strings and objects")
    func batch() throws {
        let body = try decode(
            CookieHeadersBody.self,
            #"{"urls":["https://a.example/",{"url":"https://b.example/","method":"POST","http_api":false}]}"#
        )
        #expect(body.queries.count == 2)
        #expect(body.queries[1].method == Array("POST".utf8))
        #expect(!body.queries[1].isHTTPAPI)
        #expect(try pointer(CookieHeadersBody.self, #"{"urls":["a",7]}"#) == "/urls/1")
        #expect(
            try pointer(CookieHeadersBody.self, #"{"urls":[{"url":"a","method":"a b"}]}"#)
                == "/urls/0/method")
    }
}
