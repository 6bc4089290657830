// SPDX-License-Identifier: Apache-2.0

internal import CPSL
public import Cookies
internal import Glibc

/// Why a public suffix list could not be loaded.
public enum PublicSuffixFileError: Error, Hashable, Sendable {
    /// No file of this name.
    case absent(path: String)
    /// It cannot be read; the number is errno.
    case unreadable(path: String, errno: Int32)
    /// It has no content, or is no file at all.
    case empty(path: String)
    /// It is not a public suffix list.
    case notASuffixList(path: String)
}

extension PublicSuffixFileError: CustomStringConvertible {
    /// One line for the operator.
    public var description: String {
        switch self {
        case .absent(let path): "public suffix list \(path): no such file"
        case .unreadable(let path, let code):
            "public suffix list \(path): \(String(cString: strerror(code)))"
        case .empty(let path): "public suffix list \(path): empty"
        case .notASuffixList(let path): "public suffix list \(path): not a public suffix list"
        }
    }
}

/// The public suffix list of a file, through libpsl.
///
/// The file is named, never searched for: `psl_latest` would fall back to an older list in silence.
///
/// `@unchecked Sendable`:
/// 1. The only stored reference is libpsl's context, built completely in `init` and freed in
///    `deinit`.
/// 2. Every call made in between takes it as `const` and libpsl documents these queries as
///    thread-safe: they only read the tables of the context.
/// 3. The pointer never leaves the class.
public final class PublicSuffixFile: PublicSuffixList, @unchecked Sendable {
    private let context: OpaquePointer
    /// How many rules the list has, or nil for a compiled (DAFSA) list, which does not say.
    public let ruleCount: Int?
    /// When the file was last changed, in seconds since the epoch: the list's age as far as it is
    /// known.
    public let modifiedAt: Timestamp

    /// Loads a list, as text or in libpsl's compiled form.
    ///
    /// - Parameter path: the file.
    /// - Throws: what is wrong with the file.
    public init(path: String) throws(PublicSuffixFileError) {
        modifiedAt = try Self.inspect(path)
        guard let context = psl_load_file(path) else { throw .notASuffixList(path: path) }
        // Any text loads as some list. A real one has `com` among its ICANN rules, by name.
        let type = PSL_TYPE_ICANN | PSL_TYPE_NO_STAR_RULE
        guard psl_is_public_suffix2(context, "com", type) == 1 else {
            psl_free(context)
            throw .notASuffixList(path: path)
        }
        let count = psl_suffix_count(context)
        ruleCount = count >= 0 ? Int(count) : nil
        self.context = context
    }

    deinit { psl_free(context) }

    /// Whether the name itself is a public suffix; a single unknown label is one.
    public func isPublicSuffix(_ name: [UInt8]) -> Bool {
        Self.withName(name) { psl_is_public_suffix(context, $0) == 1 } ?? false
    }

    /// The public suffix plus one label, or nil when the name is a public suffix itself or no name.
    public func registrableDomain(of name: [UInt8]) -> [UInt8]? {
        let start = Self.withName(name) { text -> Int? in
            psl_registrable_domain(context, text).map { $0 - text }
        }
        guard let start = start ?? nil, name.indices.contains(start) else { return nil }
        return Array(name[start...])
    }

    /// Hands a name over as a C string; nil for what is no name, since libpsl forgives a leading
    /// dot.
    private static func withName<Answer>(
        _ name: [UInt8], _ body: (UnsafePointer<CChar>) -> Answer
    ) -> Answer? {
        guard let first = name.first, first != UInt8(ascii: "."), !name.contains(0) else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { text in
            for (index, byte) in name.enumerated() {
                text.initializeElement(at: index, to: CChar(bitPattern: byte))
            }
            text.initializeElement(at: name.count, to: 0)
            guard let start = text.baseAddress else { return nil }
            return body(start)
        }
    }

    /// Tells apart what `psl_load_file` reports alike, and returns the time of the last change.
    private static func inspect(_ path: String) throws(PublicSuffixFileError) -> Timestamp {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw errno == ENOENT ? .absent(path: path) : .unreadable(path: path, errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .unreadable(path: path, errno: errno)
        }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .notASuffixList(path: path) }
        guard status.st_size > 0 else { throw .empty(path: path) }
        return Timestamp(seconds: Int64(status.st_mtim.tv_sec))
    }
}
