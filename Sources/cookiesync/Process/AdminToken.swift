// SPDX-License-Identifier: Apache-2.0

/// Reads a token, such as the admin's, from its file.
enum AdminToken {
    private static let minimumLength = 16
    private static let maximumLength = 512

    /// The token, without the line end that editors leave after it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - named: Which setting named it, for what is said about it.
    /// - Returns: The token's octets.
    /// - Throws: What is wrong with the file.
    static func read(
        path: String, setting named: Setting = .adminTokenFile
    ) throws(Failure) -> [UInt8] {
        let setting = named.name
        var token: [UInt8]
        do {
            token = try File.read(path, limit: 4_096)
        } catch {
            throw Failure(.configuration, "\(setting): \(error.message)")
        }
        if token.last == UInt8(ascii: "\n") { token.removeLast() }
        if token.last == UInt8(ascii: "\r") { token.removeLast() }
        guard (minimumLength...maximumLength).contains(token.count), token.allSatisfy(isTokenByte)
        else {
            throw Failure(
                .configuration,
                "\(setting): the file must hold one token of \(minimumLength) to \(maximumLength) "
                    + "characters from A-Z a-z 0-9 - . _ ~ + / =")
        }
        return token
    }

    /// What a bearer token is made of (RFC 6750, section 2.1).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
