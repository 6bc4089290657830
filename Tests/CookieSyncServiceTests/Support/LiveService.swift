// SPDX-License-Identifier: Apache-2.0

import AuditLog
import CookieSyncWire
import Cookies
import HTTPServer
import HostNames
import JarStorage
import Locks
import Telemetry
import TestSupport
import Testing

@testable import CookieSyncService

/// A clock that stands still until it is set.
final class ManualClock: Sendable {
    private let time: Locked<Timestamp>

    /// 2026-11-30T12:00:00Z, unless told otherwise.
    init(_ time: Timestamp = Timestamp(seconds: 1_796_040_000)) {
        self.time = Locked(time)
    }

    var now: Timestamp { time.withLock { $0 } }

    func set(_ time: Timestamp) { self.time.withLock { $0 = time } }

    func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }
}

/// The service behind a real server on a free loopback port, with jars in memory and a client that
/// keeps its connection.
///
/// Every answer is held against what openapi.yaml says of all answers.
final class LiveService {
    let clock = ManualClock()
    let service: CookieSyncService
    let server: HTTPServer<CookieSyncService>
    let port: UInt16
    private var client: RawHTTPClient?

    static let suffixes = try? PublicSuffixFile(
        path: "/usr/share/publicsuffix/public_suffix_list.dat")

    init(
        storage: any JarStorage = MemoryJarStorage(),
        catalogue: any TenantCatalogue = MemoryTenantCatalogue(), audit: AuditTrail? = nil,
        maintenance: (any StorageMaintenance)? = nil, adminToken: String? = nil,
        loopbackIsSecure: Bool = true, feed: FeedSettings = FeedSettings(),
        log: any LogSink = RecordingLog(),
        configure: (inout ServiceSettings) -> Void = { _ in }
    ) throws {
        let rules = CookieRules(
            suffixes: try #require(Self.suffixes), names: IDNA(),
            loopbackIsSecure: loopbackIsSecure)
        var settings = ServiceSettings(adminToken: adminToken.map { Array($0.utf8) })
        settings.feed = feed
        configure(&settings)
        service = CookieSyncService(
            storage: storage, catalogue: catalogue, audit: audit, maintenance: maintenance,
            rules: rules,
            clock: { [clock] in clock.now },
            settings: settings, logger: Logger(level: .debug, sink: log))
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        configuration.defaultFields = CookieSyncService.responseFields
        server = HTTPServer(
            configuration: configuration, handler: service, errors: service,
            logger: Logger(level: .error, sink: RecordingLog()))
        port = try server.start()
    }

    deinit { server.drain(deadlineSeconds: 0) }

    /// Sends one request and returns its answer.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: [UInt8]? = nil,
        type: String? = "application/json", _ fields: [String: String] = [:]
    ) throws -> RawResponse {
        var fields = fields
        fields["Host"] = fields["Host"] ?? "localhost:\(port)"
        if let body {
            fields["Content-Length"] = fields["Content-Length"] ?? String(body.count)
            if let type { fields["Content-Type"] = type }
        }
        var head = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        let client = try self.client ?? RawHTTPClient(port: port)
        self.client = client
        try client.send(Array("\(head)\r\n".utf8) + (body ?? []))
        let response = try client.readResponse(isHead: method == "HEAD")
        if response["connection"] == "close" { self.client = nil }
        check(response, method, target)
        return response
    }

    /// Sends one request with a JSON body.
    @discardableResult
    func send(
        _ method: String, _ target: String, json: String, _ fields: [String: String] = [:]
    ) throws -> RawResponse {
        try send(method, target, Array(json.utf8), fields)
    }

    private func send(
        _ method: String, _ target: String, _ body: [UInt8], _ fields: [String: String]
    ) throws -> RawResponse {
        try send(method, target, body, type: "application/json", fields)
    }

    /// What holds for every answer.
    private func check(_ response: RawResponse, _ method: String, _ target: String) {
        for (name, value) in CookieSyncService.responseFields {
            #expect(response[name.lowercased()] == value, "\(method) \(target)")
        }
        #expect(response["x-request-id"] != nil, "\(method) \(target)")
        #expect(response["date"] != nil, "\(method) \(target)")
        #expect(response.fields.allSatisfy { !$0.name.hasPrefix("access-control-") })
        if response.status >= 400, method != "HEAD" {
            #expect(response["content-type"] == "application/problem+json", "\(method) \(target)")
        }
        var path = PathBytes(target)
        if case .route(let route, _) = path.match(method) {
            let general: [UInt16] = [404, 408, 413, 414, 417, 429, 431, 500, 501, 503, 505]
            #expect(
                (route.statuses + general).contains(UInt16(response.status)),
                "\(route.operation) does not list \(response.status)")
        }
    }
}

/// A path kept in memory for the router.
private struct PathBytes {
    private var bytes: [UInt8]

    init(_ target: String) {
        bytes = Array(target.utf8.prefix { $0 != UInt8(ascii: "?") })
    }

    mutating func match(_ method: String) -> RouteTable.Match {
        let method = HTTPMethod.allCases.first { "\($0.name)" == method } ?? .other
        return bytes.withUnsafeBufferPointer { bytes in
            let segments = PathSegments(bytes)
            defer { segments.deallocate() }
            // Only the route itself is looked at by the caller, never the views into the path.
            return RouteTable.api.match(method, segments)
        }
    }
}

/// Keeps the log in memory.
final class RecordingLog: LogSink {
    private let lines = Locked<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    func write(level: LogLevel, event: String, fields: KeyValuePairs<String, LogValue>) {
        lines.withLock { $0.append("\(level) \(event) \(fields)") }
    }
}

extension RawResponse {
    /// The body, which must be JSON.
    func json() throws -> JSONValue {
        try JSONDocument(parsing: body).root
    }

    /// The text of a member of the body's object, if it is a string.
    func text(_ path: String...) throws -> String? {
        try value(path).flatMap { try? $0.string() }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// The slug of a problem's type.
    var slug: String? {
        (try? text("type")).flatMap { $0 }?.split(separator: ":").last.map(String.init)
    }

    /// The pointers of a problem's errors.
    var pointers: [String] {
        let errors = (try? value(["errors"])?.elements()) ?? []
        return errors.compactMap { error in
            (try? member(of: error, "pointer")?.string()).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
    }

    private func value(_ path: [String]) throws -> JSONValue? {
        var value: JSONValue? = try json()
        for name in path { value = try value.flatMap { try member(of: $0, name) } }
        return value
    }

    private func member(of value: JSONValue, _ name: String) throws -> JSONValue? {
        try value.members().first { $0.name == Array(name.utf8) }?.value
    }
}
