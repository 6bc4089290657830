// SPDX-License-Identifier: Apache-2.0

/// The configuration file: one `name = value` on a line, with the names of the flags.
///
/// A line that is blank or begins with `#` means nothing. Blanks around name and value are not part of them; there
/// are no quotes, no sections and no continuation lines.
enum ConfigurationFile {
    struct Entry {
        let line: Int
        let key: String
        let value: String
    }

    /// The entries of the file in their order.
    static func entries(path: String) throws(Failure) -> [Entry] {
        let bytes: [UInt8]
        do {
            bytes = try File.read(path, limit: 1 << 20)
        } catch {
            throw Failure(.configuration, "config: read \(path): \(error.message)")
        }
        var entries: [Entry] = []
        for (index, line) in bytes.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
        )
        .enumerated() {
            let content = trimmed(line)
            guard let first = content.first, first != UInt8(ascii: "#") else { continue }
            guard let equals = content.firstIndex(of: UInt8(ascii: "=")),
                let key = String(validating: trimmed(content[..<equals]), as: UTF8.self),
                let value = String(validating: trimmed(content[(equals + 1)...]), as: UTF8.self)
            else {
                throw Failure(.configuration, "\(path):\(index + 1): not of the form name = value")
            }
            entries.append(Entry(line: index + 1, key: key, value: value))
        }
        return entries
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
        }
        guard let last = bytes.lastIndex(where: { !isBlank($0) }) else { return [] }
        return bytes[...last].drop(while: isBlank)
    }
}
