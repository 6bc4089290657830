// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("Backup, verify and restore")
struct BackupTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var data: String { directory.file("data") }

    private func run(_ arguments: [String], port: UInt16) throws -> (code: Int32, output: String) {
        try ChildProcess.run(arguments + ["--data-dir", data, "--port", "\(port)"])
    }

    @Test("work while the service runs and when it does not, and what is restored is served")
    func roundTrip() throws {
        let service = try Service(data: data)
        #expect(try service.ingest("sid=31d4").status == 200)
        let online = try run(["backup", "online"], port: service.port)
        #expect(online.code == 0, "\(online.output)")
        #expect(online.output.hasPrefix(#"{"name":"online","tenants":1,"bytes":"#))
        #expect(try run(["backup", "online"], port: service.port).code == 65)
        #expect(try run(["verify"], port: service.port).code == 0)
        service.process.signal(SIGTERM)
        #expect(try service.process.waitForExit().code == 0)

        #expect(try run(["verify"], port: 1).output.hasPrefix(#"{"tenants":1,"#))
        #expect(try run(["backup", "offline"], port: 1).code == 0)
        #expect(try run(["backup", "offline"], port: 1).code == 65)
        for name in ["online", "offline"] {
            let fresh = directory.file(name)
            let restored = try ChildProcess.run(
                ["restore", "\(data)/backups/\(name)", "--data-dir", fresh])
            #expect(restored.code == 0, "\(restored.output)")
            let copy = try Service(data: fresh)
            #expect(try copy.cookieHeader().text == "sid=31d4")
        }
    }

    @Test("need the admin token where there is one, which the command takes from its file")
    func token() throws {
        let token = try directory.write("token", "0123456789abcdef\n")
        let arguments = ["--admin-token-file", token]
        let service = try Service(data: data, arguments: arguments)
        for path in ["/v1/admin/backup", "/v1/admin/verify"] {
            #expect(
                try service.client().request("POST", path, body: #"{"name":"a"}"#).status == 401)
        }
        #expect(try run(["verify"], port: service.port).code == 69)
        #expect(try run(["verify"] + arguments, port: service.port).code == 0)
    }

    @Test("take names, not paths", arguments: ["../x", "a/b", ".x", "", "X", "a%2fb"])
    func names(name: String) throws {
        let service = try Service(data: data)
        let answer = try service.client().request(
            "POST", "/v1/admin/backup", body: #"{"name":"\#(name)"}"#)
        #expect(answer.status == 422)
        #expect(try run(["backup", name], port: service.port).code == 64)
    }

    @Test("end with 65 when there is damage")
    func damage() throws {
        let service = try Service(data: data)
        #expect(try service.ingest("sid=31d4").status == 200)
        service.process.signal(SIGTERM)
        _ = try service.process.waitForExit()
        _ = try directory.write("data/tenants/acme/jar.sqlite", "garbage")
        let verified = try run(["verify"], port: 1)
        #expect(verified.code == 65)
        #expect(verified.output.contains(#"{"tenant":"acme","code":"storage-corrupt"}"#))
        let again = try Service(data: data)
        #expect(try run(["verify"], port: again.port).code == 65)
    }

    @Test("of a data directory that is not there is an error, and makes none")
    func absent() throws {
        #expect(try run(["verify"], port: 1).code == 78)
        #expect(access(data, F_OK) != 0)
    }
}
