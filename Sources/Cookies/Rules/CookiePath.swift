// SPDX-License-Identifier: Apache-2.0

/// Paths (section 5.1.4).
///
/// Octets are compared as they are: no decoding, no folding.
enum CookiePath {
    /// The path of a cookie that names none: the URL's directory.
    static func defaultPath(of urlPath: [UInt8]) -> [UInt8] {
        guard urlPath.first == ASCII.slash, let last = urlPath.lastIndex(of: ASCII.slash), last > 0
        else { return [ASCII.slash] }
        return Array(urlPath[..<last])
    }

    /// Whether the cookie's path covers the requested one.
    static func matches(request: [UInt8], path: [UInt8]) -> Bool {
        path.withUnsafeBufferPointer { matches(request: request, path: $0) }
    }

    static func matches(request: [UInt8], path: UnsafeBufferPointer<UInt8>) -> Bool {
        request.withUnsafeBufferPointer { matches(request: $0, path: path) }
    }

    static func matches(
        request: UnsafeBufferPointer<UInt8>, path: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        guard let last = path.last, request.count >= path.count else { return false }
        let start = UnsafeBufferPointer(rebasing: request[..<path.count])
        guard start.isSame(as: path) else { return false }
        return request.count == path.count || last == ASCII.slash
            || request[path.count] == ASCII.slash
    }
}
