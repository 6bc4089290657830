// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// The file formats; the raw value is a format's name in the API.
public enum CookieFormat: String, CaseIterable, Sendable {
    /// cookies.txt.
    case netscape
    /// The JSON of browser extensions.
    case `extension`
    /// The storage state of Playwright.
    case playwright

    private var implementation: any CookieFileFormat.Type {
        switch self {
        case .netscape: NetscapeFormat.self
        case .extension: ExtensionFormat.self
        case .playwright: PlaywrightFormat.self
        }
    }

    /// The media type of an exported file.
    public var mediaType: StaticString { implementation.mediaType }

    /// Reads a file of a format, or of the format that it looks like.
    ///
    /// O(n).
    ///
    /// - Parameters:
    ///   - file: The file, maybe with a byte order mark.
    ///   - named: The format that the caller says it is; nil finds it out.
    /// - Returns: The format, and the entries in the order of the file.
    /// - Throws: When the file as a whole is not the format, or too large.
    public static func read(
        _ file: [UInt8], as named: CookieFormat?
    ) throws(CookieFileError) -> (format: CookieFormat, entries: [FileEntry]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = file.starts(with: mark) ? Array(file.dropFirst(mark.count)) : file
        guard let format = named ?? detect(text) else {
            throw .notTheFormat(detail: "The file is of no format that is known here.", offset: nil)
        }
        do throws(CookieFileError) {
            return (format, try format.implementation.read(text))
        } catch .notTheFormat(let detail, let offset) {
            var detail = detail
            if let other = detect(text), other != format {
                detail += " It looks like `\(other.rawValue)`."
            }
            throw .notTheFormat(detail: detail, offset: offset.map { $0 + file.count - text.count })
        }
    }

    /// The file that holds some cookies, in their order.
    public func write(_ cookies: [Cookie]) -> CookieFile { implementation.write(cookies) }

    private static func detect(_ text: [UInt8]) -> CookieFormat? {
        allCases.first { $0.implementation.recognises(text) }
    }
}
