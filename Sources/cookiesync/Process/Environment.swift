// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The process's environment.
enum Environment {
    /// Every variable; of one that stands twice, the first counts, as for `getenv`.
    static var all: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            next += 1
            let text = String(cString: entry)
            guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(text[..<equals])
            if variables[name] == nil {
                variables[name] = String(text[text.utf8.index(after: equals)...])
            }
        }
        return variables
    }
}
