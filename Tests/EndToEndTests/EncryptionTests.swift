// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@Suite("Encryption, by the command line")
struct EncryptionTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var data: String { directory.file("data") }
    private var key: String { directory.file("key") }

    private func run(
        _ verb: [String], key: String? = nil, port: UInt16 = 1, data: String? = nil
    ) throws -> (code: Int32, output: String) {
        try ChildProcess.run(
            verb + ["--data-dir", data ?? self.data, "--port", "\(port)"]
                + (key.map { ["--key-file", $0] } ?? []))
    }

    @Test("a key is made for a fresh directory, never beside data, and never in a file's place")
    func createKey() throws {
        #expect(try run(["create-key"]).code == 78)
        #expect(try run(["create-key"], key: key).code == 0)
        var status = stat()
        #expect(stat(key, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try run(["create-key"], key: key).code == 78)
        let service = try Service(data: data)
        #expect(try service.ingest("sid=31d4").status == 200)
        #expect(try run(["create-key"], key: directory.file("another")).code == 78)
        #expect(access(directory.file("another"), F_OK) != 0)
    }

    @Test(
        "a wrong key, none, one that is exposed: 78 before anything is served, and nothing changes")
    func keyTrouble() throws {
        #expect(try run(["create-key"], key: key).code == 0)
        do {
            let service = try Service(data: data, arguments: ["--key-file", key])
            #expect(try service.ingest("sid=31d4").status == 200)
            service.process.signal(SIGTERM)
            #expect(try service.process.waitForExit().code == 0)
        }
        let other = directory.file("other")
        #expect(
            try run(["create-key"], key: other, data: directory.file("elsewhere")).code == 0)
        for (key, message) in [
            (nil, "the data are encrypted, and no key was given"),
            (other, "another key"), (directory.path, "is not a file"),
            (directory.file("absent"), "No such file"),
        ] as [(String?, String)] {
            let serve = try run(["serve"], key: key)
            #expect(serve.code == 78)
            #expect(serve.output.contains(message), "\(serve.output)")
        }
        chmod(key, 0o640)
        #expect(try run(["serve"], key: key).code == 78)
        chmod(key, 0o600)
        let service = try Service(data: data, arguments: ["--key-file", key])
        #expect(try service.cookieHeader().text == "sid=31d4")
    }

    @Test("encrypt turns it on while the service runs, and changes the key")
    func encrypt() throws {
        do {
            let plain = try Service(data: data)
            #expect(try plain.ingest("sid=31d4").status == 200)
            #expect(try run(["encrypt"], port: plain.port).code == 69)
            plain.process.signal(SIGTERM)
            #expect(try plain.process.waitForExit().code == 0)
        }
        #expect(try run(["encrypt"]).code == 78)
        let new = directory.file("new")
        for (path, place) in [(key, "a"), (new, "b")] {
            #expect(
                try run(["create-key"], key: path, data: directory.file(place)).code == 0)
        }
        do {
            let service = try Service(data: data, arguments: ["--key-file", key])
            let online = try run(["encrypt"], key: key, port: service.port)
            #expect(online.code == 0, "\(online.output)")
            #expect(online.output.hasPrefix(#"{"tenants":1,"bytes":"#))
            #expect(try service.cookieHeader().text == "sid=31d4")
            service.process.signal(SIGTERM)
            #expect(try service.process.waitForExit().code == 0)
        }
        #expect(try run(["verify"], key: key).code == 0)
        let rotated = try run(["encrypt", "--old-key-file", key], key: new)
        #expect(rotated.code == 0, "\(rotated.output)")
        #expect(try run(["verify"], key: key).code == 78)
        let service = try Service(data: data, arguments: ["--key-file", new])
        #expect(try service.cookieHeader().text == "sid=31d4")
    }
}
