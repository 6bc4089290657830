// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Why a key file cannot be used.
public enum KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// It could not be opened or read, or made; `errno` says why.
    case system(errno: Int32, operation: String)
    /// It is a directory, a device, a pipe.
    case notAFile
    /// Others than its owner can read or write it.
    case exposed
    /// It belongs to neither this process's user nor root.
    case foreign
    /// It does not hold one key.
    case malformed
    /// libcrypto refused.
    case engine

    /// The failure in one line, without anything of the content.
    public var description: String {
        switch self {
        case .system(let errno, let operation): "\(operation): \(String(cString: strerror(errno)))"
        case .notAFile: "is not a file"
        case .exposed: "others than its owner can read or write it; set its mode to 0600"
        case .foreign: "belongs to another user"
        case .malformed: "must hold 32 octets, or the same as 64 hexadecimal digits or in base64"
        case .engine: "libcrypto refused the key"
        }
    }
}

/// The file with the master key.
///
/// It holds 32 random octets as they are, or written as 64 hexadecimal digits or in base64, with or without a line feed
/// at the end. Their lengths tell the three apart.
public enum KeyFile {
    /// The longest form is the hexadecimal one.
    private static let limit = 128

    /// Reads the master key.
    ///
    /// The file must be a regular one (a symbolic link to one will do), of this user or root, and closed to group and
    /// others: a key that others can read is no key.
    ///
    /// - Throws: `KeyFileError`.
    public static func read(_ path: String) throws(KeyFileError) -> MasterKey {
        // Without O_NONBLOCK, opening a pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("open") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("look at") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
        guard status.st_mode & 0o077 == 0 else { throw .exposed }
        guard status.st_uid == geteuid() || status.st_uid == 0 else { throw .foreign }
        var content = [UInt8](repeating: 0, count: limit)
        defer { Wiping.wipe(&content) }
        let count = content.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, limit, 0) }
        guard count >= 0 else { throw failure("read") }
        guard let bytes = KeyText.key(content[..<count]) else { throw .malformed }
        do {
            return try MasterKey(bytes)
        } catch {
            throw .engine
        }
    }

    /// Makes a file with a new key, for its owner alone and durable.
    ///
    /// - Throws: `KeyFileError`; `system` with `EEXIST` when there is one of that name already.
    public static func create(_ path: String) throws(KeyFileError) {
        let key: KeyBytes
        do {
            key = try KeyBytes.random()
        } catch {
            throw .engine
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("make") }
        defer { close(descriptor) }
        let isWritten = key.withUnsafeBytes {
            fchmod(descriptor, 0o600) == 0
                && write(descriptor, $0.baseAddress, $0.count) == $0.count
                && fsync(descriptor) == 0
        }
        guard isWritten else {
            let error = failure("write")
            unlink(path)
            throw error
        }
        try synchronizeFolder(of: path)
    }

    /// A key that a power cut takes back would take everything with it that it has sealed.
    private static func synchronizeFolder(of path: String) throws(KeyFileError) {
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = name.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open folder") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync folder") }
    }

    private static func failure(_ operation: String) -> KeyFileError {
        .system(errno: errno, operation: operation)
    }
}

/// The forms in which a key may be written.
enum KeyText {
    /// The key that a file's content is; nil when it is none.
    static func key(_ content: ArraySlice<UInt8>) -> KeyBytes? {
        if content.count == KeyBytes.count { return KeyBytes(content) }
        let line = content.last == UInt8(ascii: "\n") ? content.dropLast() : content
        guard var octets = decode(line) else { return nil }
        defer { Wiping.wipe(&octets) }
        return KeyBytes(octets)
    }

    private static func decode(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        switch line.count {
        case 64: decode(line, bitsPerDigit: 4, digit: hexadecimal)
        case 44 where line.last == UInt8(ascii: "="):
            decode(line.dropLast(), bitsPerDigit: 6, digit: base64)
        default: nil
        }
    }

    /// Digits to octets, highest bit first; bits that fill no octet must be zero.
    private static func decode(
        _ digits: ArraySlice<UInt8>, bitsPerDigit: Int, digit: (UInt8) -> UInt8?
    ) -> [UInt8]? {
        var octets: [UInt8] = []
        octets.reserveCapacity(KeyBytes.count)
        var (pending, count): (UInt16, Int) = (0, 0)
        for byte in digits {
            guard let value = digit(byte) else { return nil }
            pending = pending << UInt16(bitsPerDigit) | UInt16(value)
            count += bitsPerDigit
            if count >= 8 {
                count -= 8
                octets.append(UInt8(truncatingIfNeeded: pending >> UInt16(count)))
                pending &= (1 << UInt16(count)) - 1
            }
        }
        return pending == 0 ? octets : nil
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func base64(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
