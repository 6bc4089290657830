// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// The file formats; the raw value is a format's name in the API.
public enum CookieFormat: String, CaseIterable, Sendable {
    /// cookies.txt.
    case netscape
    /// Set-Cookie lines.
    case setCookie = "set-cookie"
    /// The property dictionaries of `NSHTTPCookie`.
    case properties = "nshttpcookie"
    /// The JSON of browser extensions.
    case `extension`
    /// The storage state of Playwright.
    case playwright
    /// What CookieCloud keeps.
    case cookieCloud = "cookiecloud"
    /// A recording of requests and responses.
    case har
    /// Safari's own file.
    case binaryCookies = "binarycookies"

    private var implementation: any CookieFileFormat.Type {
        switch self {
        case .netscape: NetscapeFormat.self
        case .setCookie: SetCookieFormat.self
        case .properties: PropertyFormat.self
        case .extension: ExtensionFormat.self
        case .playwright: PlaywrightFormat.self
        case .cookieCloud: CookieCloudFormat.self
        case .har: HARFormat.self
        case .binaryCookies: BinaryCookiesFormat.self
        }
    }

    /// Whether files of the format can be written.
    public var isWritable: Bool { implementation is any WritableFileFormat.Type }

    /// A file that holds some cookies, in their order; nil for a format that is only read.
    ///
    /// O(n).
    public func writer(
        _ cookies: CookieSelection, _ context: WritingContext
    ) -> CookieFileWriter? {
        guard let format = implementation as? any WritableFileFormat.Type else { return nil }
        return CookieFileWriter(format, cookies, context)
    }

    /// A reader for a file that begins so.
    func reader(
        _ opening: FileOpening, _ context: ReadingContext
    ) throws(CookieFileError) -> any EntryReader {
        try implementation.reader(opening, context)
    }

    /// The format that a file looks like.
    static func detect(_ opening: FileOpening) -> CookieFormat? {
        allCases.first { $0.implementation.recognises(opening) }
    }
}
