// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("The verbs that call a service")
struct ClientCommandTests {
    private let directory: TemporaryDirectory
    private let service: Service

    init() throws {
        directory = try TemporaryDirectory()
        service = try Service(data: "\(directory.path)/data")
    }

    private func run(_ arguments: String...) throws -> (code: Int32, output: String) {
        try ChildProcess.run(
            arguments, environment: ["COOKIESYNC_SERVER": "http://127.0.0.1:\(service.port)"])
    }

    @Test("ingest, get, export and import, one after the other")
    func walk() throws {
        let head = try directory.write(
            "head",
            "HTTP/1.1 200 OK\r\nSet-Cookie: sid=1; Path=/\r\nSet-Cookie: spy=1; Domain=other.com\r\n\r\n<html>"
        )
        let ingested = try run("ingest", "--url", "https://www.example.com/login", head)
        #expect(ingested.code == 0)
        #expect(ingested.output == "stored sid\nrejected spy: domain-mismatch\n")
        let header = try run("get", "https://www.example.com/")
        #expect(header.output == "sid=1\n")
        #expect(try run("get", "https://other.example/").output == "")
        #expect(
            try run("get", "--json", "https://www.example.com/").output
                == #"{"cookie":"sid=1","count":1,"revision":1,"expires_at":null}"# + "\n")
        let exported = try run("export")
        #expect(exported.output.contains("www.example.com\tFALSE\t/\tFALSE\t0\tsid\t1\n"))
        #expect(exported.output.contains("not in the file: created_at"))
        #expect(
            try run("export", "--json", "--format=playwright").output
                .hasPrefix(
                    #"{"format":"playwright","lost_attributes":["same_site","created_at"],"content":"#
                ))
        let file = try directory.write("cookies.txt", exported.output)
        let imported = try run("import", file, "--jar", "bob")
        #expect(imported.code == 0)
        #expect(imported.output.hasPrefix("netscape: 1 stored, 0 replaced, 0 unchanged, "))
        #expect(try run("get", "https://www.example.com/", "--jar=bob").output == "sid=1\n")
        #expect(
            try run("import", "--json", "--jar=bob", file).output
                .hasPrefix(#"{"format":"netscape","stored":0,"replaced":0,"unchanged":1,"#))
    }

    @Test("import says what a file needs beside itself")
    func importOptions() throws {
        let lines = try directory.write("lines", "Set-Cookie: a=1; Path=/\n")
        #expect(try run("import", lines).code == 65)
        let url = "https://www.example.com/"
        #expect(try run("import", "--url", url, lines).output.hasPrefix("set-cookie: 1 stored, "))
        #expect(
            try run("export", "--format=set-cookie", "--url", url).output
                .hasPrefix("Set-Cookie: a=1; Path=/\n"))
        let cloud = try directory.write(
            "cloud",
            #"{"encrypted":"U2FsdGVkX18BAgMEBQYHCAnktUQKFhZpkyadDGUw62VeeG699RcRlSxY++LxrJq+IW4Dtx9hje28g10AIz"#
                + #"1APF+orZM+9+LfhWezduS4VtyZc2AGKPb9yjjaYbSCmkN5H/7asSlG7SLzysHKqwDp3WzrtGQ7ppsUJPEo7FlJ2snR"#
                + #"m93SMfMtWMljfV65vph1"}"#)
        let password = try directory.write("password", "secret\n")
        #expect(try run("import", cloud).code == 65)
        #expect(try run("import", "--cookiecloud-uuid=u-1", cloud).code == 64)
        let opened = try run(
            "import", "--cookiecloud-uuid=u-1", "--cookiecloud-password-file", password, cloud)
        #expect(opened.output.hasPrefix("cookiecloud: 1 stored, "))
    }

    @Test("a file that is cut off is taken with --partial only")
    func partial() throws {
        // A page of 64 octets with a cookie in it, of which 12 have come.
        let file = try directory.write(
            "Cookies.binarycookies",
            "cook\0\0\0\u{01}\0\0\0\u{40}\0\0\u{01}\0\u{01}\0\0\0\u{10}\0\0\0")
        #expect(try run("import", file).code == 65)
        let taken = try run("import", "--partial", file)
        #expect(
            taken.output.hasPrefix("binarycookies: 0 stored, 0 replaced, 0 unchanged, 1 rejected"))
    }

    @Test("what others wrote is made fit to be shown")
    func printing() throws {
        let head = try directory.write(
            "head", "HTTP/1.1 200 OK\r\nSet-Cookie: a\u{1B}[2J=1\r\n\r\n")
        let answer = try run("ingest", "--url=https://www.example.com/", head)
        #expect(answer.output == "rejected a\\x1b[2J: control-character\n")
    }

    @Test(
        "an exit code tells what is wrong",
        arguments: [
            (["get"], 64), (["get", "a", "b"], 64), (["ingest", "-"], 64),
            (["export", "file"], 64),
            (["get", "nonsense"], 65), (["get", "https://a.example/", "--jar", "not a name"], 65),
            (["import", "/nonexistent"], 66), (["import", "/dev/null"], 65),
            (["get", "https://a.example/", "--server", "http://127.0.0.1:9"], 69),
            (["get", "https://a.example/", "--server", "https://127.0.0.1"], 78),
            (["get", "https://a.example/", "--server", "nonsense"], 78),
            (["get", "https://a.example/", "--token-file", "/nonexistent"], 78),
            (["get", "https://a.example/", "--colour", "red"], 78),
            (["export", "--format", "csv"], 65), (["export", "--json=yes"], 64),
            (["ingest", "--url"], 64), (["ingest", "--url=a", "--url=b", "-"], 64),
        ] as [([String], Int32)])
    func exitCodes(arguments: [String], code: Int32) throws {
        let ended = try ChildProcess.run(
            arguments,
            environment: arguments.contains("--server")
                ? [:] : ["COOKIESYNC_SERVER": "http://127.0.0.1:\(service.port)"])
        #expect(ended.code == code, "\(ended.output)")
        #expect(ended.output.hasPrefix("cookiesync: "))
    }

    @Test("a file that is too large is refused in the service's words")
    func tooLarge() throws {
        let row = "www.example.com\tFALSE\t/\tFALSE\t0\tsid\t31d4\n"
        let file = try directory.write(
            "large", String(repeating: row, count: (20 << 20) / row.utf8.count))
        let small = try Service(
            data: "\(directory.path)/small", arguments: ["--import-bytes", "64KiB"])
        let ended = try ChildProcess.run([
            "import", file, "--server", "http://127.0.0.1:\(small.port)",
        ])
        #expect(ended.code == 65)
        #expect(ended.output.contains("too large") || ended.output.contains("larger"))
    }

    @Test("a token is sent, and one that is not right is 77")
    func token() throws {
        let admin = try directory.write("admin", "administrator-of-this-test\n")
        let other = try directory.write("other", "somebody-else-altogether\n")
        let guarded = try Service(
            data: "\(directory.path)/guarded", arguments: ["--admin-token-file", admin])
        func get(_ token: [String]) throws -> Int32 {
            try ChildProcess.run(
                ["get", "https://a.example/", "--server", "http://127.0.0.1:\(guarded.port)"]
                    + token
            ).code
        }
        #expect(try get([]) == 77)
        #expect(try get(["--token-file", other]) == 77)
    }
}
