// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("The command `token`, and where secrets are afterwards")
struct TokenTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var data: String { directory.file("data") }
    private var adminFile: String { directory.file("admin-token") }

    private func content(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }

    private func expectPrivate(_ path: String) {
        var status = Glibc.stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(path)")
    }

    @Test("makes the admin token and a tenant's, in files and nowhere else")
    func secrets() throws {
        let settings = ["--admin-token-file", adminFile, "--data-dir", data]
        let made = try ChildProcess.run(["token", "--admin-token-file", adminFile])
        #expect(made.code == 0, "\(made.output)")
        let admin = try content(adminFile).dropLast()
        #expect(admin.hasPrefix("csk_admin_") && !made.output.contains(admin.suffix(20)))
        expectPrivate(adminFile)
        #expect(try ChildProcess.run(["token", "--admin-token-file", adminFile]).code == 78)
        #expect(try content(adminFile).dropLast() == admin)

        let service = try Service(data: data, arguments: ["--admin-token-file", adminFile])
        let tokenFile = directory.file("worker-token")
        let minted = try ChildProcess.run(
            [
                "token", "acme", "worker", "read,write,values", tokenFile, "--port",
                "\(service.port)",
            ]
                + settings)
        #expect(minted.code == 0, "\(minted.output)")
        let token = String(try content(tokenFile).dropLast())
        #expect(token.hasPrefix("csk_tenant_") && !minted.output.contains(token.suffix(20)))
        expectPrivate(tokenFile)

        let fields = ["Authorization": "Bearer \(token)"]
        let client = try service.client()
        #expect(
            try client.request(
                "POST", "\(Service.store)/ingest",
                body: #"{"url":"https://www.example.com/","headers":[["Set-Cookie","a=1"]]}"#,
                fields: fields
            ).status == 200)
        #expect(try client.request("GET", Service.store, fields: fields).status == 200)
        #expect(try client.request("GET", Service.store).status == 401)
        _ = try client.request("GET", "\(Service.store)?access_token=\(token)")
        _ = try ChildProcess.run(["backup", "b", "--port", "\(service.port)"] + settings)
        service.process.signal(SIGTERM)
        let log = try service.process.waitForExit().output

        for secret in [token, String(admin)] {
            let needles = [
                secret, String(secret.suffix(20)), String(secret.dropFirst(24).prefix(43)),
            ]
            for needle in needles { #expect(!log.contains(needle), "the log") }
            let files = try FileManager.default.subpathsOfDirectory(atPath: data)
            #expect(files.contains("catalogue.db") && files.contains("audit.log"))
            #expect(files.contains("backups/b/catalogue.db"))
            for file in files {
                guard let bytes = try? Data(contentsOf: URL(filePath: "\(data)/\(file)")) else {
                    continue
                }
                for needle in needles {
                    #expect(bytes.firstRange(of: Data(needle.utf8)) == nil, "\(file)")
                }
            }
        }
        #expect(try ChildProcess.run(["verify"] + settings).code == 0)
    }

    @Test("`verify` and `serve` see that the audit log was changed")
    func auditLog() throws {
        _ = try ChildProcess.run(["token", "--admin-token-file", adminFile])
        let settings = ["--admin-token-file", adminFile]
        let service = try Service(data: data, arguments: settings)
        for tenant in ["a", "b"] {
            let answer = try service.client().request(
                "PUT", "/v1/tenants/\(tenant)",
                fields: ["Authorization": "Bearer \(try content(adminFile).dropLast())"])
            #expect(answer.status == 201)
        }
        service.process.signal(SIGTERM)
        _ = try service.process.waitForExit()
        let path = "\(data)/audit.log"
        let lines = try content(path)
        #expect(lines.split(separator: "\n").count == 2)
        try Data(lines.replacing(#""tenant":"a""#, with: #""tenant":"c""#).utf8).write(
            to: URL(filePath: path))
        for command in ["verify", "serve"] {
            let ended = try ChildProcess.run(
                [command, "--data-dir", data, "--port", "0"] + settings)
            #expect(ended.code == 65 && ended.output.contains("the chain is broken at line 1"))
        }
    }

    @Test("needs to know where, and what", arguments: [[], ["acme"], ["acme", "n", "read"]])
    func usage(_ words: [String]) throws {
        #expect(try ChildProcess.run(["token"] + words).code == 64)
    }
}
