// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A way to get a setting wrong, and the name that the complaint must carry.
struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var arguments: [String] = []
    var environment: [String: String] = [:]
    let complaint: String

    init(
        _ name: String, _ arguments: [String] = [], environment: [String: String] = [:],
        says complaint: String
    ) {
        testDescription = name
        self.arguments = arguments
        self.environment = environment
        self.complaint = complaint
    }
}

@Suite("Settings")
struct SettingsTests {
    @Test("loopback-is-secure reaches the cookie rules", arguments: [true, false])
    func loopback(isSecure: Bool) throws {
        let directory = try TemporaryDirectory()
        let service = try Service(
            data: "\(directory.path)/data",
            arguments: isSecure ? [] : ["--loopback-is-secure", "false"])
        let answer = try service.client().request(
            "POST", "\(Service.store)/ingest",
            body: #"{"url":"http://localhost/","headers":[["Set-Cookie","a=1; Secure"]]}"#)
        #expect(answer.text.contains(isSecure ? "stored" : "secure-required"))
    }

    @Test(
        "what is wrong is named, and nothing starts",
        arguments: [
            Mistake("unknown flag", ["--colour", "red"], says: "--colour: no such setting"),
            Mistake(
                "unknown flag without a value", ["--verbose"], says: "--verbose: no such setting"),
            Mistake(
                "unknown variable", environment: ["COOKIESYNC_PORTT": "1"],
                says: "COOKIESYNC_PORTT: no such setting"),
            Mistake("flag without its value", ["--port"], says: "--port: needs a value"),
            Mistake("flag given twice", ["--port=1", "--port=2"], says: "--port: given twice"),
            Mistake(
                "no number", ["--port", "http"],
                says: "--port: must be a whole number from 0 to 65535"),
            Mistake("a sign", ["--port", "+80"], says: "--port: must be a whole number"),
            Mistake("out of range", ["--port", "65536"], says: "--port: must be a whole number"),
            Mistake("beyond Int", ["--port", "18446744073709551696"], says: "--port: must be"),
            Mistake(
                "time without a unit", ["--idle-timeout", "10"],
                says: "--idle-timeout: must be time"),
            Mistake(
                "unit of another kind", ["--idle-timeout", "1MiB"],
                says: "--idle-timeout: must be time"),
            Mistake(
                "time beyond the maximum", ["--header-timeout", "2h"], says: "from 10ms to 1m"),
            Mistake(
                "octets beyond the maximum", ["--header-bytes", "1GiB"], says: "from 1KiB to 256KiB"
            ),
            Mistake(
                "no truth value", ["--compression", "yes"],
                says: "--compression: must be true or false"),
            Mistake(
                "octets that wrap to nothing", ["--cache-bytes", "17179869184GiB"],
                says: "--cache-bytes: must be"),
            Mistake(
                "no such word", ["--log-level", "loud"], says: "one of debug, info, warning, error"),
            Mistake("empty path", ["--data-dir", ""], says: "--data-dir: must be a path"),
            Mistake(
                "bad variable", environment: ["COOKIESYNC_WRITER_THREADS": "0"],
                says: "COOKIESYNC_WRITER_THREADS: must be a whole number from 1"),
            Mistake(
                "no such file", ["--config", "/nonexistent"], says: "config: read /nonexistent"),
            Mistake(
                "open to all without a token", ["--host", "0.0.0.0"], says: "admin-token-file"),
            Mistake(
                "open to IPv6 without a token", environment: ["COOKIESYNC_HOST": "::"],
                says: "admin-token-file"),
            Mistake(
                "no list of public suffixes", ["--public-suffix-list", "/nonexistent"],
                says: "public-suffix-list: "),
            Mistake(
                "an empty list of public suffixes", ["--public-suffix-list", "/dev/null"],
                says: "public-suffix-list: "),
            Mistake(
                "no token file", ["--admin-token-file", "/nonexistent"], says: "admin-token-file: "),
            Mistake(
                "an empty token file", ["--admin-token-file", "/dev/null"],
                says: "admin-token-file: "),
            Mistake("no connection string", ["--storage", "hst=x"], says: "storage: must be"),
            Mistake(
                "a password for all to see",
                ["--storage", "postgres://app:hush-1f2e@127.0.0.1:1/x"],
                says: "--storage: holds a password"),
            Mistake("a name for a host", ["--host", "example.com"], says: "host"),
        ])
    func mistakes(mistake: Mistake) throws {
        let directory = try TemporaryDirectory()
        let data =
            mistake.arguments.contains("--data-dir")
            ? [] : ["--data-dir", "\(directory.path)/data"]
        let ended = try ChildProcess.run(
            ["serve"] + data + mistake.arguments, environment: mistake.environment)
        #expect(ended.code == 78)
        #expect(ended.output.contains(mistake.complaint))
        #expect(ended.output.hasPrefix("cookiesync: "))
    }

    @Test(
        "a configuration file is held to the same rules",
        arguments: [
            Mistake("unknown key", ["colour = red"], says: ":1: colour: no such setting"),
            Mistake("bad value", ["# comment", "", "port = many"], says: ":3: port: must be"),
            Mistake("no assignment", ["port"], says: ":1: not of the form name = value"),
            Mistake("given twice", ["port = 1", "port = 2"], says: ":2: port: given twice"),
            Mistake("itself", ["config = other"], says: "config"),
        ])
    func file(mistake: Mistake) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("cookiesync.conf", mistake.arguments.joined(separator: "\n"))
        let ended = try ChildProcess.run(["serve", "--config", file])
        #expect(ended.code == 78)
        #expect(ended.output.contains(mistake.complaint))
    }

    @Test("flag beats environment beats file")
    func precedence() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("c", "  data-dir = /nonexistent/file\t\r\nlog-level=loud\n")
        func complaint(_ arguments: [String], _ environment: [String: String]) throws -> String {
            try ChildProcess.run(["serve"] + arguments, environment: environment).output
        }
        // Each place holds another mistake, so what is complained of is what was read first.
        #expect(try complaint(["--config", file], [:]).contains("log-level"))
        #expect(
            try complaint(["--port", "x"], ["COOKIESYNC_HOST": ""]).contains("--port"))
    }

    @Test("what may be secret is not repeated")
    func secrets() throws {
        let directory = try TemporaryDirectory()
        let secret = "hunter2-hunter2 hunter2"
        let file = try directory.write("token", secret)
        for arguments in [
            ["--admin-token-file", file], ["--port", secret], ["--log-level", secret],
        ] {
            let ended = try ChildProcess.run(["serve"] + arguments)
            #expect(ended.code == 78)
            #expect(!ended.output.contains("hunter2"))
        }
    }
}
