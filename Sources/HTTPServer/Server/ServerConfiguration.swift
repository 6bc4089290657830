// SPDX-License-Identifier: Apache-2.0

/// Everything about a server that can be set.
///
/// Each limit has a safe default and a hard maximum.
public struct ServerConfiguration: Sendable {
    /// The address to listen on: IPv4, IPv6, or `localhost` for 127.0.0.1.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes any free one.
    public var port: UInt16 = 8080
    /// How many event loops; 0 for one fewer than there are processors, but at least one.
    public var loops = 0
    /// How large requests may be.
    public var limits = HTTPLimits()
    /// How slow clients may be.
    public var timeouts = HTTPTimeouts()
    /// How many connections may be open; at that number accepting pauses.
    ///
    /// Also bounded by 64 fewer than the process may have descriptors.
    public var maximumConnections = 12_000
    /// How many connections one address may have; one more is answered 503.
    public var maximumConnectionsPerAddress = 256
    /// How many connections may wait to be accepted.
    public var backlog = 1024
    /// How many answers may gather for a client that pipelines before they are sent.
    public var pipelineDepth = 16
    /// How much of a streamed answer may wait for its client.
    public var streamBufferBytes = 256 << 10
    /// Whether answers are gzip-coded for clients that take it.
    public var compressesResponses = true
    /// The smallest answer that is worth compressing.
    public var minimumCompressedBytes = 1 << 10
    /// zlib's level, 1 (fast) to 9 (small).
    ///
    /// Answers are compressed on the event loop.
    public var compressionLevel = 1
    /// What `Retry-After` says with a 503 of the server's own.
    public var retryAfterSeconds = 1
    /// Fields that every answer carries.
    public var defaultFields: [(name: String, value: String)] = []

    /// The longest time that a handler may ask for in `HTTPExchange.deferResponse(within:)`.
    public static let maximumHandlerSeconds = 120

    /// The defaults.
    public init() {}

    /// Checks every setting.
    ///
    /// - Returns: The same configuration.
    /// - Throws: `ConfigurationError`, naming the first setting that is out of range or no valid field.
    @discardableResult
    public func validated() throws(ConfigurationError) -> ServerConfiguration {
        for setting in settings where !setting.range.contains(setting.value) {
            throw .outOfRange(
                setting: setting.name, value: setting.value, allowed: setting.range)
        }
        guard prepareDefaultFields().refusedCount == 0 else { throw .invalidDefaultField }
        return self
    }

    func prepareDefaultFields() -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in defaultFields { fields.append(Array(name.utf8), Array(value.utf8)) }
        return fields
    }

    private var settings: [Setting] {
        limits.settings + timeouts.settings + [
            Setting("loops", loops, 0...256),
            Setting("maximumConnections", maximumConnections, 1...1_000_000),
            Setting("maximumConnectionsPerAddress", maximumConnectionsPerAddress, 1...1_000_000),
            Setting("backlog", backlog, 1...65_535),
            Setting("pipelineDepth", pipelineDepth, 1...1024),
            Setting("streamBufferBytes", streamBufferBytes, (4 << 10)...(16 << 20)),
            Setting("minimumCompressedBytes", minimumCompressedBytes, 64...(1 << 30)),
            Setting("compressionLevel", compressionLevel, 1...9),
            Setting("retryAfterSeconds", retryAfterSeconds, 1...3600),
        ]
    }
}

/// One number that can be set, with what it may be.
struct Setting {
    let name: String
    let value: Int
    let range: ClosedRange<Int>

    init(_ name: String, _ value: Int, _ range: ClosedRange<Int>) {
        self.name = name
        self.value = value
        self.range = range
    }
}

/// Why a configuration cannot be used.
public enum ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A number is smaller or larger than it may be.
    case outOfRange(setting: String, value: Int, allowed: ClosedRange<Int>)
    /// One of `defaultFields` is no valid field, or one that belongs to the server.
    case invalidDefaultField

    /// One line that names the setting.
    public var description: String {
        switch self {
        case .outOfRange(let setting, let value, let allowed):
            "\(setting) is \(value), must be \(allowed.lowerBound) to \(allowed.upperBound)"
        case .invalidDefaultField: "defaultFields holds an invalid field"
        }
    }
}
