// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@Suite("The command line")
struct CommandTests {
    @Test(
        "no such command, and no command at all, is a usage error",
        arguments: [["brew"], [], ["Serve"]])
    func unknown(arguments: [String]) throws {
        let ended = try ChildProcess.run(arguments)
        #expect(ended.code == 64)
        #expect(ended.output.contains("Usage: cookiesync COMMAND"))
    }

    @Test(
        "a stray argument is a usage error",
        arguments: [["serve", "8080"], ["version", "1"], ["help", "me"]])
    func stray(arguments: [String]) throws {
        #expect(try ChildProcess.run(arguments).code == 64)
    }

    @Test("version and help answer", arguments: ["version", "--version"])
    func version(verb: String) throws {
        let ended = try ChildProcess.run([verb])
        #expect(ended.code == 0)
        #expect(ended.output.hasPrefix("cookiesync "))
    }

    @Test(
        "help names every command and setting",
        arguments: [["help"], ["--help"], ["-h"]])
    func help(arguments: [String]) throws {
        let ended = try ChildProcess.run(arguments)
        #expect(ended.code == 0)
        for word in ["serve", "healthcheck", "--data-dir", "--drain-timeout"] {
            #expect(ended.output.contains(word))
        }
    }

    @Test("help of a command tells of it alone, wherever it is asked for")
    func helpOfCommand() throws {
        let asked = [
            ["help", "get"], ["get", "--help"], ["get", "https://a.example/", "--help"],
        ]
        for arguments in asked {
            let ended = try ChildProcess.run(arguments)
            #expect(ended.code == 0)
            #expect(ended.output.contains("URL [--method M]"))
            #expect(ended.output.contains("--server"))
            #expect(!ended.output.contains("--data-dir") && !ended.output.contains("FILE"))
        }
    }

    @Test("docs/configuration.md holds the settings table as the binary prints it")
    func documentation() throws {
        let table = try ChildProcess.run(["help", "settings"]).output
        let path = #filePath.components(upTo: "Tests") + "docs/configuration.md"
        let descriptor = open(path, O_RDONLY)
        try #require(descriptor >= 0)
        let document = try LineReader(descriptor: descriptor).readToEnd(seconds: 5)
        #expect(
            document.contains(table), "run scripts/update-docs and commit what it changes")
    }
}

extension String {
    fileprivate func components(upTo folder: String) -> String {
        guard let range = firstRange(of: "/\(folder)/") else { return self }
        return String(self[..<range.lowerBound]) + "/"
    }
}
