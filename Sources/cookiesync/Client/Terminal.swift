// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncWire
internal import Glibc

/// What the client's verbs read and write.
enum Terminal {
    /// All of a file, or of the standard input where its name is `-`.
    ///
    /// - Parameters:
    ///   - path: The file's name.
    ///   - kept: How many octets are kept; what comes after them is read and dropped, so that who writes it is not cut
    ///     off.
    /// - Returns: Those octets.
    /// - Throws: `noInput`, when it cannot be read.
    static func read(_ path: String, keeping kept: Int) throws(Failure) -> [UInt8] {
        let isInput = path == "-"
        let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw Failure(.noInput, "read \(printable(path)): \(File.lastError())")
        }
        defer { if !isInput { close(descriptor) } }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &piece, piece.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += piece.prefix(min(count, kept - bytes.count))
            } else if errno != EINTR {
                throw Failure(.noInput, "read \(printable(path)): \(File.lastError())")
            }
        }
    }

    /// Writes to the standard output.
    static func write(_ bytes: [UInt8]) throws(Failure) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw Failure(.output, "write the answer: \(File.lastError())")
            }
        }
    }

    /// Writes a line of text.
    static func write(line: String) throws(Failure) {
        try write(Array("\(line)\n".utf8))
    }

    /// Writes a body as one line of JSON.
    static func write(_ body: some AnswerBody) throws(Failure) {
        var writer = JSONWriter()
        body.encode(to: &writer)
        try write(writer.bytes + [UInt8(ascii: "\n")])
    }

    /// A text that others wrote, fit to be shown: control characters, and all that is not ASCII where it is not UTF-8,
    /// become `\xNN`.
    static func printable(_ text: some Collection<UInt8>) -> String {
        let isText = UTF8Text.isValid(Array(text))
        var output = ""
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where isText {
            let isControl = scalar.value < 0x20 || 0x7F..<0xA0 ~= scalar.value
            if isControl {
                output += hexadecimal(scalar.value)
            } else {
                output.unicodeScalars.append(scalar)
            }
        }
        for byte in text where !isText {
            let isPlain = 0x20..<0x7F ~= byte
            output += isPlain ? String(Unicode.Scalar(byte)) : hexadecimal(UInt32(byte))
        }
        return output
    }

    /// A text that others wrote, fit to be shown.
    static func printable(_ text: String) -> String { printable(text.utf8) }

    private static func hexadecimal(_ value: UInt32) -> String {
        "\\x" + (value < 0x10 ? "0" : "") + String(value, radix: 16)
    }
}
