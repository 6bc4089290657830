// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("The settings of a store")
struct StoreSettingsTests {
    private let jar = "/v1/tenants/acme/jars/alice"
    private let store = "/v1/tenants/acme/jars/alice/stores/native"
    private let live: LiveService

    init() throws {
        live = try LiveService()
    }

    @discardableResult
    private func ingest(
        _ line: String, url: String = "https://www.example.com/", page: String? = nil
    ) throws -> String {
        let page = page.map { #","main_document_url":"\#($0)""# } ?? ""
        let answer = try live.send(
            "POST", "\(store)/ingest",
            json: #"{"url":"\#(url)","headers":[["Set-Cookie","\#(line)"]]\#(page)}"#)
        for outcome in ["stored", "replaced", "deleted", "accept-policy"]
        where answer.text.contains("\"\(outcome)\"") {
            return outcome
        }
        return answer.text
    }

    private func header(_ store: String = "native", _ host: String = "www.example.com") throws
        -> String
    {
        try live.send(
            "GET", "\(jar)/stores/\(store)/cookie-header?url=https://\(host)/", nil,
            ["Accept": "text/plain"]
        ).text
    }

    private func list(_ store: String = "native") throws -> String {
        try live.send("GET", "\(jar)/stores/\(store)/cookies").text
    }

    @Test("make the store with 201, and change only what is given")
    func put() throws {
        let new = try live.send("PUT", store, json: #"{"session_lifetime_seconds":60}"#)
        #expect(new.status == 201)
        #expect(
            new.text
                == #"{"name":"native","revision":1,"cookie_count":0,"session_cookie_count":0,"accept_policy":"always","matching":"rfc6265","session_lifetime_seconds":60}"#
        )
        let changed = try live.send("PUT", store, json: #"{"accept_policy":"never"}"#)
        #expect(changed.status == 200)
        #expect(changed.text == (try live.send("GET", store).text))
        #expect(
            changed.text.contains(
                #""revision":2,"cookie_count":0,"session_cookie_count":0,"accept_policy":"never","matching":"rfc6265","session_lifetime_seconds":60"#
            ))
        let same = try live.send("PUT", store, json: "{}")
        #expect(same.status == 200)
        #expect(same.text == changed.text)
        let cleared = try live.send("PUT", store, json: #"{"session_lifetime_seconds":null}"#)
        #expect(cleared.text.contains(#""session_lifetime_seconds":null"#))
        #expect(cleared.text.contains(#""accept_policy":"never""#))
    }

    @Test(
        "refuse what they do not know",
        arguments: [
            (#"{"accept_policy":"sometimes"}"#, "/accept_policy"),
            (#"{"accept_policy":null}"#, "/accept_policy"),
            (#"{"session_lifetime_seconds":0}"#, "/session_lifetime_seconds"),
            (#"{"session_lifetime_seconds":34560001}"#, "/session_lifetime_seconds"),
            (#"{"lifetime":1}"#, "/lifetime"), ("[]", ""),
        ])
    func invalid(body: String, pointer: String) throws {
        let answer = try live.send("PUT", store, json: body)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
        #expect(try live.send("GET", store).status == 404)
    }

    @Test("never: nothing comes in, and what is there is still sent")
    func never() throws {
        try ingest("a=1")
        try live.send("PUT", store, json: #"{"accept_policy":"never"}"#)
        #expect(try ingest("b=1") == "accept-policy")
        #expect(try ingest("a=; Max-Age=0") == "accept-policy")
        let put = try live.send(
            "PUT", "\(store)/cookies", json: #"{"name":"c","value":"1","domain":"www.example.com"}"#
        )
        #expect(put.status == 422)
        #expect(put.text.contains(#""reason":"accept-policy""#))
        #expect(try header() == "a=1")
    }

    @Test(
        "only_from_main_document: the same registrable domain, or the very address",
        arguments: [
            ("https://www.example.com/", "https://www.example.com/", true),
            ("https://api.example.com/", "https://www.example.com/", true),
            ("https://www.example.com/", "http://example.com/", true),
            ("https://cdn.example.org/", "https://www.example.com/", false),
            ("https://notexample.com/", "https://example.com/", false),
            ("https://a.co.uk/", "https://b.co.uk/", false),
            ("https://203.0.113.10/", "https://203.0.113.110/", false),
            ("https://203.0.113.10/", "https://203.0.113.10/", true),
            ("https://www.example.com/", nil, false),
        ])
    func mainDocument(url: String, page: String?, isTaken: Bool) throws {
        try live.send("PUT", store, json: #"{"accept_policy":"only_from_main_document"}"#)
        #expect(try ingest("a=1", url: url, page: page) == (isTaken ? "stored" : "accept-policy"))
    }

    @Test("session_lifetime_seconds: a session cookie stays that long, and each new one anew")
    func sessionLifetime() throws {
        try live.send("PUT", store, json: #"{"session_lifetime_seconds":100}"#)
        try ingest("sid=1")
        try ingest("keep=1; Max-Age=10")
        #expect(try list().contains(#""expires":"2026-11-30T12:01:40Z""#))
        #expect(try list().contains(#""expires":"2026-11-30T12:00:10Z""#))
        #expect(try list().contains(#""was_session":true"#))
        #expect(try list().contains(#""was_session":false"#))
        try live.send("POST", "\(store)/end-session")
        #expect(try header() == "sid=1; keep=1")
        live.clock.advance(seconds: 60)
        #expect(try ingest("sid=1") == "replaced")
        live.clock.advance(seconds: 60)
        #expect(try header() == "sid=1")
        #expect(try ingest("sid=; Max-Age=0") == "deleted")
        #expect(try header() == "")
    }

    @Test("promote: the session cookies of a URL outlive the session, with their version")
    func promote() throws {
        try ingest("sid=1")
        try ingest("keep=1; Max-Age=60")
        try ingest("other=1", url: "https://www.example.org/")
        try live.send("POST", "\(jar)/sync", json: #"{"from":"native","to":"webview"}"#)
        let body = #"{"lifetime_seconds":2592000,"url":"https://www.example.com/"}"#
        let answer = try live.send("POST", "\(store)/promote", json: body)
        #expect(answer.status == 200)
        #expect(answer.text == #"{"promoted":1,"revision":7}"#)
        #expect(
            try live.send("POST", "\(store)/promote", json: body).text
                == #"{"promoted":0,"revision":7}"#)
        let promoted = try live.send("GET", "\(store)/cookies?name=sid").text
        #expect(promoted.contains(#""expires":"2026-12-30T12:00:00Z""#))
        #expect(promoted.contains(#""version":1,"was_session":true"#))
        try live.send("POST", "\(jar)/sync", json: #"{"from":"webview","to":"native"}"#)
        try live.send("POST", "\(store)/end-session")
        #expect(try header() == "sid=1; keep=1")
        #expect(try header("native", "www.example.org") == "")
        try live.send("POST", "\(jar)/sync", json: #"{"from":"native","to":"webview"}"#)
        try live.send("POST", "\(jar)/stores/webview/end-session")
        #expect(try header("webview") == "sid=1; keep=1")
    }

    @Test(
        "promote refuses what it does not know",
        arguments: [
            ("{}", "/lifetime_seconds"), (#"{"lifetime_seconds":0}"#, "/lifetime_seconds"),
            (#"{"lifetime_seconds":1,"url":"ftp://a.example/"}"#, "/url"),
            (#"{"lifetime_seconds":1,"ttl":1}"#, "/ttl"),
        ])
    func invalidPromotion(body: String, pointer: String) throws {
        let answer = try live.send("POST", "\(store)/promote", json: body)
        #expect(answer.status == 422)
        #expect(answer.pointers == [pointer])
    }
}
