// SPDX-License-Identifier: Apache-2.0

import Glibc
import TestSupport
import Testing

@testable import Sealing

@Suite("Key files")
struct KeyFileTests {
    private let directory: TemporaryDirectory
    private static let octets = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }

    init() throws { directory = try TemporaryDirectory() }

    private func write(_ content: [UInt8], mode: mode_t = 0o600) -> String {
        let path = directory.file("key")
        unlink(path)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        #expect(Glibc.write(descriptor, content, content.count) == content.count)
        fchmod(descriptor, mode)
        close(descriptor)
        return path
    }

    private static var hexadecimal: [UInt8] {
        Array(
            octets.map {
                "0123456789abcdef".map(String.init)[Int($0 >> 4)]
                    + "0123456789abcdef".map(String.init)[Int($0 & 15)]
            }.joined().utf8)
    }

    private static let base64 = Array("CzBVep/E6Q4zWH2ix+wRNluApcrvFDleg6jN8hc8YYY=".utf8)

    @Test("raw, hexadecimal and base64 are the same key")
    func forms() throws {
        let expected = try MasterKey(#require(KeyBytes(Self.octets))).checkValue
        let upper = Self.hexadecimal.map { $0 >= 97 ? $0 - 32 : $0 }
        for content in [
            Self.octets, Self.hexadecimal, upper, Self.hexadecimal + [10],
        ] {
            #expect(try KeyFile.read(write(content)).checkValue == expected)
        }
        for content in [Self.base64, Self.base64 + [10]] {
            _ = try KeyFile.read(write(content))
        }
        #expect(KeyText.key(Self.base64[...])?.withUnsafeBytes { $0[0] } == 11)
    }

    @Test(
        "what is not one key is refused",
        arguments: [
            [], [1], Array(repeating: 65, count: 31), Array(repeating: 65, count: 33),
            Array(repeating: 65, count: 128), Array(repeating: 65, count: 4096),
            Array(repeating: UInt8(ascii: "g"), count: 64), Array(repeating: 65, count: 44),
            Array(repeating: 65, count: 65), hexadecimal + [10, 10], hexadecimal + [13, 10],
            Array("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=".utf8),
        ] as [[UInt8]])
    func malformed(content: [UInt8]) {
        #expect(throws: KeyFileError.malformed) { try KeyFile.read(write(content)) }
    }

    @Test(
        "a file that others can read or write is refused",
        arguments: [0o640, 0o604, 0o620, 0o602, 0o644, 0o660, 0o666, 0o601, 0o610] as [mode_t])
    func exposed(mode: mode_t) {
        #expect(throws: KeyFileError.exposed) {
            try KeyFile.read(write(Self.octets, mode: mode))
        }
    }

    @Test("one that only its owner can read will do")
    func readOnly() throws {
        _ = try KeyFile.read(write(Self.octets, mode: 0o400))
    }

    @Test("no file, a directory, a device and a pipe are refused, at once")
    func kinds() {
        #expect(throws: KeyFileError.system(errno: ENOENT, operation: "open")) {
            try KeyFile.read(directory.file("absent"))
        }
        #expect(throws: KeyFileError.notAFile) { try KeyFile.read(directory.path) }
        #expect(throws: KeyFileError.notAFile) { try KeyFile.read("/dev/zero") }
        let pipe = directory.file("pipe")
        mkfifo(pipe, 0o600)
        #expect(throws: KeyFileError.notAFile) { try KeyFile.read(pipe) }
    }

    @Test("a new key is for its owner alone, is another one each time, and replaces nothing")
    func creation() throws {
        let (first, second) = (directory.file("first"), directory.file("second"))
        umask(0)
        defer { umask(0o022) }
        try KeyFile.create(first)
        try KeyFile.create(second)
        var status = stat()
        #expect(stat(first, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(status.st_size == 32)
        let key = try KeyFile.read(first)
        #expect(try !key.gives(KeyFile.read(second).checkValue))
        #expect(throws: KeyFileError.system(errno: EEXIST, operation: "make")) {
            try KeyFile.create(first)
        }
        #expect(try KeyFile.read(first).gives(key.checkValue))
    }
}
