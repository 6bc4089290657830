// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import CookieSyncService

@Suite("While it cannot be told which tokens are valid")
struct DoubtTests {
    private let catalogue = ForgetfulCatalogue()
    private let live: LiveService
    private let token: LiveService.Minted
    private let store = "/v1/tenants/acme/jars/j/stores/s/cookies"
    private let changes = "/v1/tenants/acme/jars/j/changes"

    init() throws {
        live = try LiveService.secured(catalogue: catalogue)
        token = try live.mint("read feed values")
    }

    @Test(
        "a token gets 503, good or not; what is no token 401; and the admin token what it asks for")
    func answers() throws {
        let wrong = try live.mint("read")
        try live.asAdmin("DELETE", "/v1/tenants/acme/tokens/\(wrong.id)")
        catalogue.set(.doubtful)
        for secret in [token.token, wrong.token] {
            let answer = try live.send("GET", store, as: secret)
            #expect(answer.status == 503)
            #expect(answer.text.contains(":unavailable"))
            #expect(answer["retry-after"] == "1")
        }
        #expect(try live.send("GET", store, as: "csk_tenant_x").status == 401)
        #expect(try live.send("GET", store, as: nil).status == 401)
        #expect(try live.asAdmin("GET", "/metrics").status == 200)
        #expect(try live.asAdmin("GET", "/v1/tenants/acme").status == 503)
        #expect(try live.asAdmin("GET", "/v1/tenants/acme/tokens").status == 503)
        #expect(try live.asAdmin("GET", "/v1/tenants/acme/tokens/\(token.id)").status == 503)
        #expect(try live.send("GET", "/readyz", as: nil).status == 503)
        catalogue.set(.current)
        #expect(try live.send("GET", store, as: token.token).status == 200)
        #expect(try live.send("GET", store, as: wrong.token).status == 401)
        #expect(try live.send("GET", "/readyz", as: nil).status == 200)
    }

    @Test("a stream goes on for a while, and then ends without saying that its token is not valid")
    func streams() throws {
        let writer = try live.mint("write").token
        let stream = try EventReader(port: live.port, changes, token: token.token)
        catalogue.set(.doubtful)
        catalogue.set(.current)
        try live.send(
            "PUT", store, as: writer, json: #"{"name":"n","value":"1","domain":"a.example"}"#)
        #expect(try stream.nextData()?.name == "change")
        catalogue.set(.doubtful)
        catalogue.set(.lost)
        #expect(try stream.nextData()?.data == #"{"reason":"unavailable","revision":1}"#)
    }
}
