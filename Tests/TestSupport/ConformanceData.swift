// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The conformance vectors: cases of other implementations' suites as input and expected outcome.
///
/// They are read from the directory that `COOKIESYNC_CONFORMANCE` names, by default the one beside
/// the package.
public enum ConformanceData {
    /// Where the files are.
    public static var directory: String {
        let given = ProcessInfo.processInfo.environment["COOKIESYNC_CONFORMANCE"]
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return given ?? package.appendingPathComponent("../shared/conformance").standardized.path
    }

    /// Whether the vectors are there; without them the tests that need them are skipped.
    public static var isPresent: Bool {
        FileManager.default.fileExists(atPath: directory + "/httpstate-parser.json")
    }

    /// The files with jar cases.
    public static let jarFiles = [
        "httpstate-parser.json", "wpt-parse.json", "wpt-attributes.json",
        "wpt-domain-path-order.json", "wpt-secure-samesite-httponly.json", "go-cookiejar.json",
        "okhttp.json", "curl.json", "spec-examples.json",
    ]

    /// The elements of a file.
    public static func objects(of file: String) throws -> [[String: Any]] {
        let data = try Data(contentsOf: URL(fileURLWithPath: directory + "/" + file))
        guard let list = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw ConformanceDataError(file: file, problem: "not an array of objects")
        }
        return list
    }
}

/// A file that does not have the documented form.
public struct ConformanceDataError: Error {
    /// Which file.
    public let file: String
    /// What is wrong with it.
    public let problem: String
}

/// One case: a fresh jar, and steps in order.
public struct JarCase: Sendable {
    /// The case's identifier.
    public let id: String
    /// What it is about.
    public let tags: [String]
    /// What is done and expected, in order.
    public let steps: [JarStep]

    /// Reads one element; members that are not of the documented form are left out.
    public init(_ object: [String: Any]) {
        id = object["id"] as? String ?? ""
        tags = object["tags"] as? [String] ?? []
        steps = (object["steps"] as? [[String: Any]] ?? []).compactMap(JarStep.init)
    }
}

/// One step of a case.
public struct JarStep: Sendable {
    /// What the step does.
    public enum Action: Sendable {
        /// A response with these `Set-Cookie` lines.
        case ingest(lines: [[UInt8]])
        /// A request whose `Cookie` value has to be this; empty means no header.
        case fetch(expected: [UInt8])
    }

    /// The URL that answers or is requested.
    public let url: [UInt8]
    /// What it does.
    public let action: Action
    /// Milliseconds since the epoch, from this step on.
    public let now: Int64?
    /// False for a script.
    public let httpAPI: Bool
    /// `strict`, `lax`, `lax-unsafe` or `cross-site`.
    public let sameSiteContext: String

    init?(_ object: [String: Any]) {
        let fetch = object["fetch"] as? [String: Any]
        guard let step = fetch ?? object["ingest"] as? [String: Any],
            let url = step["url"] as? String
        else { return nil }
        self.url = Array(url.utf8)
        now = (step["now"] as? String).flatMap(Self.milliseconds)
        httpAPI = step["http_api"] as? Bool ?? true
        sameSiteContext = step["same_site_context"] as? String ?? "strict"
        if fetch == nil {
            let lines = Self.bytes(step["set_cookie"]) ?? Self.encoded(step["set_cookie_b64"]) ?? []
            action = .ingest(lines: lines)
        } else {
            let expected =
                Self.encoded(step["expect_bis_b64"]) ?? Self.bytes(step["expect_bis"])
                ?? Self.encoded(step["expect_b64"]) ?? Self.bytes(step["expect"])
            guard let expected = expected?.first else { return nil }
            action = .fetch(expected: expected)
        }
    }

    private static func bytes(_ value: Any?) -> [[UInt8]]? {
        if let text = value as? String { return [Array(text.utf8)] }
        return (value as? [String])?.map { Array($0.utf8) }
    }

    private static func encoded(_ value: Any?) -> [[UInt8]]? {
        bytes(value)?.map { Array(Data(base64Encoded: Data($0)) ?? Data()) }
    }

    /// RFC 3339 in UTC, with or without milliseconds.
    private static func milliseconds(_ text: String) -> Int64? {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime]
        if text.contains(".") { formatter.formatOptions.insert(.withFractionalSeconds) }
        return formatter.date(from: text).map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
    }
}
