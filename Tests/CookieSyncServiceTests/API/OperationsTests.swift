// SPDX-License-Identifier: Apache-2.0

import JarStorage
import TestSupport
import Testing

@testable import CookieSyncService

@Suite("Operations")
struct OperationsTests {
    @Test("probes answer under any host name and with any query")
    func probes() throws {
        let live = try LiveService()
        let health = try live.send("GET", "/healthz?q=1", nil, ["Host": "10.0.0.7"])
        #expect(health.text == #"{"status":"ok"}"#)
        #expect(try live.send("GET", "/readyz").text == #"{"status":"ready","faults":[]}"#)
        #expect(try live.send("HEAD", "/healthz")["content-length"] == "15")
    }

    @Test("readiness ends as soon as the service drains; the rest goes on")
    func draining() throws {
        let live = try LiveService()
        live.service.beginDraining()
        let answer = try live.send("GET", "/readyz")
        #expect(answer.status == 503)
        #expect(answer.slug == "unavailable")
        #expect(try live.send("GET", "/healthz").status == 200)
        #expect(try live.send("GET", "/v1/tenants/acme/jars").status == 200)
    }

    @Test(
        "readiness counts damaged tenants without naming them, and fails when no write can be taken"
    )
    func faults() throws {
        let tenants = ["acme", "zeta"].map { TenantID($0.utf8) }
        let damaged = tenants.map { StorageFault(code: "storage-corrupt", tenant: $0) }
        let live = try LiveService(storage: FailingStorage(.corrupt, faults: damaged))
        #expect(
            try live.send("GET", "/readyz").text
                == #"{"status":"ready","faults":[{"code":"storage-corrupt","tenants":2}]}"#)
        let readOnly = StorageFault(code: "read-only", tenant: nil)
        let stuck = try LiveService(
            storage: FailingStorage(.readOnly, faults: damaged + [readOnly]))
        let answer = try stuck.send("GET", "/readyz")
        #expect(answer.status == 503)
        #expect(answer.text.contains("read-only"))
        #expect(!answer.text.contains("acme"))
    }

    @Test("the description of the API is served, once")
    func openAPI() throws {
        let live = try LiveService()
        let answer = try live.send("GET", "/openapi.yaml")
        #expect(answer["content-type"] == "application/yaml")
        #expect(answer.body == OpenAPIDocument.text.withUTF8Buffer { Array($0) })
        let tag = try #require(answer["etag"])
        #expect(try live.send("GET", "/openapi.yaml", nil, ["If-None-Match": tag]).status == 304)
        #expect(try live.send("GET", "/openapi.yaml?x=1").status == 422)
    }

    @Test(
        "each error of the storage is a problem of its own, for reads and for writes",
        arguments: [
            (.busy, 503, "busy", "1"), (.unavailable, 503, "unavailable", "1"),
            (.full, 507, "storage-full", nil), (.corrupt, 503, "storage-corrupt", nil),
            (.integrity, 500, "integrity-failure", nil),
            (.schemaTooNew, 503, "storage-schema-too-new", nil),
            (.readOnly, 503, "storage-read-only", "5"),
            (.inDoubt, 503, "outcome-unknown", "5"),
        ] as [(JarStorageError, Int, String, String?)])
    func storageErrors(_ error: JarStorageError, status: Int, slug: String, retryAfter: String?)
        throws
    {
        let log = RecordingLog()
        let live = try LiveService(storage: FailingStorage(error), log: log)
        let store = "/v1/tenants/acme/jars/alice/stores/native"
        let requests: [(String, String, String?)] = [
            (
                "POST", "\(store)/ingest",
                #"{"url":"https://a.example/","headers":[["Set-Cookie","s=canary"]]}"#
            ),
            ("PUT", "\(store)/cookies", #"{"name":"s","value":"canary","domain":"a.example"}"#),
            ("DELETE", "\(store)/cookies?all=true", nil),
            ("DELETE", store, nil),
        ]
        for (method, target, body) in requests {
            let answer = try live.send(method, target, body.map { Array($0.utf8) })
            #expect(answer.status == status, "\(method)")
            #expect(answer.slug == slug)
            #expect(answer["retry-after"] == retryAfter)
        }
        if error != .full {
            let read = try live.send("GET", "\(store)/cookie-header?url=https://a.example/canary")
            #expect(read.slug == slug)
            #expect(try live.send("GET", "/v1/tenants/acme/jars").slug == slug)
        }
        #expect(log.text.contains(slug))
        #expect(!log.text.contains("canary"))
    }
}
