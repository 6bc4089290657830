// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import TestSupport
import Testing

/// The conformance vectors over HTTP: every case of every file with a fresh jar in a running service, its clock set by
/// the case.
///
/// Each file prints one line.
@Suite("Conformance vectors through the API", .enabled(if: ConformanceData.isPresent))
struct ConformanceTests {
    @Test("Jar cases", arguments: ConformanceData.jarFiles)
    func jarCases(file: String) throws {
        let live = try LiveService()
        let cases = try ConformanceData.objects(of: file).map(JarCase.init)
        var failed: [String] = []
        for (number, jarCase) in cases.enumerated() {
            let store = "/v1/tenants/acme/jars/j\(number)/stores/native"
            live.clock.set(ManualClock().now)
            for (position, step) in jarCase.steps.enumerated() {
                if let now = step.now { live.clock.set(Timestamp(milliseconds: now)) }
                guard try !passes(step, live, store) else { continue }
                failed.append("\(jarCase.id) step \(position)")
                break
            }
        }
        report(file, total: cases.count, failed: failed)
    }

    @Test("Dates, each in an Expires attribute")
    func dates() throws {
        let file = "httpstate-dates.json"
        let live = try LiveService()
        // Long before every date, so that what is read is neither past nor cut to 400 days after now; the dates of
        // the past are looked at from the day before each.
        let cases = try ConformanceData.objects(of: file)
        let failed = try cases.enumerated().filter { number, object in
            let text = object["cookie_date"] as? String ?? ""
            let expected = (object["expect_bis"] ?? object["expect_unix"]) as? Int
            live.clock.set(Timestamp(seconds: Int64(expected ?? 0) - 86_400))
            let found = try expiry(of: text, live, "/v1/tenants/acme/jars/d\(number)/stores/s")
            return found != expected
        }
        report(file, total: cases.count, failed: failed.map { $0.element["id"] as? String ?? "?" })
    }

    private func report(_ file: String, total: Int, failed: [String]) {
        print("\(file) through the API: \(total - failed.count) of \(total)")
        #expect(failed.isEmpty, "\(file)")
    }

    private func passes(_ step: JarStep, _ live: LiveService, _ store: String) throws -> Bool {
        let parameters =
            "url=\(encoded(step.url))&http_api=\(step.httpAPI)&same_site_context=\(step.sameSiteContext)"
        switch step.action {
        case .ingest(let lines):
            // URLs that ingest does not take are steps that store nothing.
            let answer = try ingest(lines, parameters, step, live, store)
            return answer.status == 200 || answer.status == 422
        case .fetch(let expected):
            let answer = try live.send(
                "GET", "\(store)/cookie-header?\(parameters)", nil, ["Accept": "text/plain"])
            return answer.status == 200 ? answer.body == expected : expected.isEmpty
        }
    }

    /// As JSON where the lines are UTF-8; other bytes can only come as a raw response head.
    private func ingest(
        _ lines: [[UInt8]], _ parameters: String, _ step: JarStep, _ live: LiveService,
        _ store: String
    ) throws -> RawResponse {
        guard lines.allSatisfy(UTF8Text.isValid) else {
            var head = Array("HTTP/1.1 200 OK\r\n".utf8)
            for line in lines { head += Array("Set-Cookie: ".utf8) + line + [0x0D, 0x0A] }
            head += [0x0D, 0x0A]
            return try live.send(
                "POST", "\(store)/ingest?\(parameters)", head, type: "message/http")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("url")
        writer.string(step.url)
        writer.name("http_api")
        writer.bool(step.httpAPI)
        writer.name("same_site_context")
        writer.string(step.sameSiteContext)
        writer.name("headers")
        writer.beginArray()
        for line in lines {
            writer.beginArray()
            writer.string("Set-Cookie")
            writer.string(line)
            writer.endArray()
        }
        writer.endArray()
        writer.endObject()
        return try live.send("POST", "\(store)/ingest", writer.bytes)
    }

    /// The expiry that a cookie with such an Expires attribute is stored with, in seconds since the epoch.
    private func expiry(of date: String, _ live: LiveService, _ store: String) throws -> Int? {
        var writer = JSONWriter()
        writer.beginObject()
        writer.name("url")
        writer.string("https://a.example/")
        writer.name("headers")
        writer.beginArray()
        writer.beginArray()
        writer.string("Set-Cookie")
        writer.string("a=1; Expires=\(date)")
        writer.endArray()
        writer.endArray()
        writer.endObject()
        try live.send("POST", "\(store)/ingest", writer.bytes)
        let answer = try live.send("GET", "\(store)/cookie-header?url=https://a.example/")
        let expiresAt = try answer.text("expires_at")
        return expiresAt.flatMap { RFC3339.parse(Array($0.utf8)) }.map { Int($0 / 1000) }
    }

    private func encoded(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        return bytes.map { "%\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
    }
}
