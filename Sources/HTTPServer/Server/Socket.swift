// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the system calls an error number.
func systemMessage(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0, let end = buffer.firstIndex(of: 0) else {
        return "error \(code)"
    }
    return String(decoding: buffer[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
