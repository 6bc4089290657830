// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames
import TestSupport
import Testing

/// Every case of the conformance vectors at module level.
///
/// Each file prints one line.
@Suite("Conformance vectors", .enabled(if: ConformanceData.isPresent))
struct ConformanceTests {
    @Test("Jar cases", arguments: ConformanceData.jarFiles)
    func jarCases(file: String) throws {
        let cases = try ConformanceData.objects(of: file).map(JarCase.init)
        var failed: [String] = []
        for jarCase in cases {
            let problem = try problem(of: jarCase)
            if let problem { failed.append("\(jarCase.id) \(problem)") }
        }
        report(file, total: cases.count, failed: failed)
    }

    @Test("Dates")
    func dates() throws {
        let file = "httpstate-dates.json"
        let cases = try ConformanceData.objects(of: file)
        let failed = cases.filter { object in
            let text = object["cookie_date"] as? String ?? ""
            let expected = (object["expect_bis"] ?? object["expect_unix"]) as? Int
            return CookieDate.parse(Array(text.utf8)).map { Int($0.seconds) } != expected
        }
        report(file, total: cases.count, failed: failed.map { $0["id"] as? String ?? "?" })
    }

    @Test("Registrable domains")
    func registrableDomains() throws {
        let file = "psl-registrable.json"
        let rules = try World.rules()
        let cases = try ConformanceData.objects(of: file)
        let failed = cases.compactMap { object -> String? in
            let text = object["host"] as? String ?? ""
            // A host with an empty label is none, so it has no registrable domain.
            let host = Host(Array(text.utf8), names: rules.names)
            let found = host.flatMap { rules.suffixes.registrableDomain(of: $0.bytes) }
            let expected = (object["registrable"] as? String).flatMap {
                Host(Array($0.utf8), names: rules.names)?.bytes
            }
            return found == expected ? nil : text
        }
        report(file, total: cases.count, failed: failed)
    }

    private func report(_ file: String, total: Int, failed: [String]) {
        print("\(file): \(total - failed.count) of \(total)")
        #expect(failed.isEmpty, "\(file)")
    }

    /// The first step that goes wrong, or nil.
    private func problem(of jarCase: JarCase) throws -> String? {
        var jar = TestJar(try World.rules())
        for (number, step) in jarCase.steps.enumerated() {
            if let now = step.now { jar.now = Timestamp(milliseconds: now) }
            let context = try #require(SameSiteContext(rawValue: step.sameSiteContext))
            let url = try? CookieURL(parsing: step.url, names: jar.rules.names)
            switch step.action {
            case .ingest(let lines):
                guard let url else { continue }
                for line in lines {
                    jar.receive(
                        line,
                        from: ResponseContext(
                            url: url, httpAPI: step.httpAPI, sameSiteContext: context))
                }
            case .fetch(let expected):
                let found = url.map {
                    jar.header(
                        for: RequestContext(
                            url: $0, httpAPI: step.httpAPI, sameSiteContext: context))
                }
                guard found ?? [] == expected else {
                    return "step \(number): expected \(String(decoding: expected, as: UTF8.self)),"
                        + " got \(String(decoding: found ?? [], as: UTF8.self))"
                }
            }
        }
        return nil
    }
}
