// SPDX-License-Identifier: Apache-2.0

internal import AuditLog
internal import CookieSyncService
internal import Cookies
internal import Glibc
internal import HTTPServer
internal import HostNames
internal import JarStorage
internal import SQLiteJarStorage
internal import Telemetry

/// Runs the service: the one place where its parts are put together, and that knows which storage it is.
enum Serve {
    static func run(_ arguments: ArraySlice<String>) throws(Failure) {
        Hardening.apply()
        let settings = try SettingsReader.read(arguments: arguments, environment: Environment.all)
        let token = try adminToken(settings)
        let rules = try cookieRules(settings)
        let shutdown = try Shutdown()  // before the first thread
        guard let sink = StreamLogSink(descriptor: STDOUT_FILENO, format: logFormat(settings))
        else { throw Failure(.system, "start the thread that writes the log") }
        defer { sink.flush(milliseconds: 1_000) }
        let logger = Logger(level: logLevel(settings), sink: sink)
        let storage = try Storage.open(settings, logger)
        defer {
            storage.jars.close()
            logger.log(.info, "stop")
        }
        let audit = try Audit.open(settings, storage.pepper)
        defer { audit?.close() }
        let service = CookieSyncService(
            storage: storage.jars, catalogue: storage.catalogue, audit: audit,
            maintenance: storage.maintenance, rules: rules,
            settings: serviceSettings(settings, token),
            logger: logger, requestLog: requestLog(settings, sink))
        var configuration = ServerConfiguration(settings)
        configuration.defaultFields = CookieSyncService.responseFields
        let server = HTTPServer(
            configuration: configuration, handler: service, errors: service, logger: logger)
        if token == nil {
            logger.log(.warning, "open to everyone on this machine: no admin token is set")
        }
        ProcessMetrics.add(to: service, server, storage, sink)
        try start(server)

        shutdown.wait()
        service.beginDraining()
        let milliseconds = settings.number(.drainTimeout) ?? 0
        server.drain(deadlineSeconds: (milliseconds + 999) / 1_000)
        server.waitUntilStopped()
    }

    private static func start(_ server: HTTPServer<CookieSyncService>) throws(Failure) {
        do {
            try server.start()
        } catch {
            throw switch error {
            case .configuration(let error): Failure(.configuration, "\(error)")
            case .invalidHost: Failure(.configuration, "host: must be an IP address or localhost")
            case .system, .alreadyStarted: Failure(.system, "listen on host and port: \(error)")
            }
        }
    }

    private static func serviceSettings(_ settings: Settings, _ token: [UInt8]?) -> ServiceSettings
    {
        var result = ServiceSettings(adminToken: token)
        if let bytes = settings.number(.bodyBytes) { result.maximumBodyBytes = bytes }
        if let bytes = settings.number(.messageBytes) { result.maximumMessageBytes = bytes }
        if let bytes = settings.number(.importBytes) { result.maximumImportBytes = bytes }
        if let time = settings.number(.idempotencyRetention) {
            result.idempotencySeconds = time / 1_000
        }
        if let count = settings.number(.feedStreams) { result.feed.streamsPerTenant = count }
        if let count = settings.number(.feedPolls) { result.feed.pollsPerTenant = count }
        if let time = settings.number(.feedHeartbeat) { result.feed.heartbeatMilliseconds = time }
        if let time = settings.number(.feedLifetime) { result.feed.lifetimeMilliseconds = time }
        if let count = settings.number(.failedLogins) { result.failedLoginsPerMinute = count }
        result.auditsEverything = settings.text(.auditLevel) == "full"
        result.tokenRequestsPerSecond = settings.number(.tokenRate)
        result.tenantRequestsPerSecond = settings.number(.tenantRate)
        return result
    }

    /// The admin token; nil on loopback without one, where the service is open.
    private static func adminToken(_ settings: Settings) throws(Failure) -> [UInt8]? {
        if let path = settings.text(.adminTokenFile) { return try AdminToken.read(path: path) }
        guard Address.isLoopback(settings.text(.host) ?? "") else {
            throw Failure(
                .configuration,
                "host: any but a loopback address needs an admin token; set admin-token-file")
        }
        return nil
    }

    private static func cookieRules(_ settings: Settings) throws(Failure) -> CookieRules {
        do {
            let suffixes = try PublicSuffixFile(path: settings.text(.publicSuffixList) ?? "")
            return CookieRules(
                suffixes: suffixes, names: IDNA(),
                loopbackIsSecure: settings.flag(.loopbackIsSecure))
        } catch {
            throw Failure(.configuration, "public-suffix-list: \(error)")
        }
    }

    private static func logLevel(_ settings: Settings) -> LogLevel {
        LogLevel.allCases.first { $0.name == settings.text(.logLevel) } ?? .info
    }

    private static func requestLog(_ settings: Settings, _ sink: StreamLogSink) -> RequestLog? {
        guard let every = settings.number(.logRequests), every > 0 else { return nil }
        return RequestLog(
            format: logFormat(settings), level: logLevel(settings), every: every, sink: sink)
    }

    private static func logFormat(_ settings: Settings) -> LogFormat {
        settings.text(.logFormat).flatMap { LogFormat(rawValue: $0) }
            ?? (isatty(STDOUT_FILENO) == 1 ? .text : .json)
    }
}
