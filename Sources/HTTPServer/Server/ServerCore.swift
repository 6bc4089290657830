// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Locks
internal import Synchronization
internal import Telemetry

/// What the loops of a server share, and what starts and stops them.
///
/// Not generic, so that one compiled copy serves every handler.
final class ServerCore: Sendable {
    private struct Lifecycle: Sendable {
        var hasStarted = false
        var isDraining = false
        var mailboxes: [Mailbox] = []
        var counters: [LoopCounters] = []
    }

    let configuration: ServerConfiguration
    let handler: any HTTPHandler
    let errors: any ErrorRenderer
    let logger: Logger
    let bodyBudget: BodyBudget
    let census: ConnectionCensus
    private let lifecycle = Locked(Lifecycle())
    private let running = DispatchGroup()

    init(
        configuration: ServerConfiguration, handler: any HTTPHandler, errors: any ErrorRenderer,
        logger: Logger
    ) {
        self.configuration = configuration
        self.handler = handler
        self.errors = errors
        self.logger = logger
        bodyBudget = BodyBudget(limit: configuration.limits.inFlightBodyBytes)
        census = ConnectionCensus(
            limit: min(configuration.maximumConnections, Self.connectionsByDescriptors()),
            perAddress: configuration.maximumConnectionsPerAddress)
    }

    var isDraining: Bool { lifecycle.withLock { $0.isDraining } }

    var counters: ServerCounters {
        let (loops, mailboxes) = lifecycle.withLock { ($0.counters, $0.mailboxes) }
        var sum = ServerCounters()
        sum.connectionsByLoop = mailboxes.map { $0.connections.load(ordering: .relaxed) }
        sum.connectionsAccepted = census.acceptedCount
        sum.connectionsRefused = census.refusedCount
        sum.connectionsOpen = census.openCount
        sum.bodyBytesInFlight = bodyBudget.reservedBytes
        for loop in loops {
            sum.requests += loop.requests.load(ordering: .relaxed)
            sum.faults += loop.faults.load(ordering: .relaxed)
            sum.deferred += loop.deferred.load(ordering: .relaxed)
            sum.bytesSent += loop.bytesSent.load(ordering: .relaxed)
            sum.fieldsRefused += loop.fieldsRefused.load(ordering: .relaxed)
        }
        return sum
    }

    func start() throws(ServerStartError) -> UInt16 {
        do throws(ConfigurationError) {
            try configuration.validated()
        } catch {
            throw .configuration(error)
        }
        let isFirst = lifecycle.withLock { lifecycle in
            defer { lifecycle.hasStarted = true }
            return !lifecycle.hasStarted && !lifecycle.isDraining
        }
        guard isFirst else { throw .alreadyStarted }
        let (listener, port) = try Socket.listen(
            host: configuration.host, port: configuration.port, backlog: configuration.backlog,
            unsentBytes: configuration.streamBufferBytes)
        let seeds: [LoopSeed]
        do throws(ServerStartError) {
            seeds = try makeLoops(listener)
        } catch {
            close(listener)
            throw error
        }
        lifecycle.withLock { lifecycle in
            lifecycle.mailboxes = seeds.first?.mailboxes ?? []
            lifecycle.counters = seeds.map(\.counters)
        }
        do throws(ServerStartError) {
            for seed in seeds { try LoopThread.run(seed, in: running) }
        } catch {
            drain(milliseconds: 0)
            throw error
        }
        logger.log(.info, "listen", ["port": .number(Int(port)), "loops": .number(seeds.count)])
        return port
    }

    func drain(milliseconds: Int) {
        let (mailboxes, isFirst) = lifecycle.withLock { lifecycle in
            defer { lifecycle.isDraining = true }
            return (lifecycle.mailboxes, !lifecycle.isDraining)
        }
        if isFirst {
            logger.log(
                .info, "drain",
                ["milliseconds": .number(milliseconds), "open": .number(census.openCount)])
        }
        for mailbox in mailboxes { mailbox.post(.drain(milliseconds: milliseconds)) }
    }

    func waitUntilStopped() {
        running.wait()
    }

    private func makeLoops(_ listener: Int32) throws(ServerStartError) -> [LoopSeed] {
        let processors = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let count = configuration.loops > 0 ? configuration.loops : max(1, processors - 1)
        var mailboxes: [Mailbox] = []
        var polls: [Int32] = []
        for index in 0..<count {
            let event = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
            let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
            let code = errno
            if event >= 0 { mailboxes.append(Mailbox(descriptor: event)) }
            if poll >= 0 { polls.append(poll) }
            guard event >= 0, poll >= 0,
                Self.register(poll, event, EventLoop.mailboxKey),
                index > 0 || Self.register(poll, listener, EventLoop.listenerKey)
            else {
                for poll in polls { close(poll) }
                throw .system(call: "epoll", errno: code)
            }
        }
        return polls.enumerated().map { index, poll in
            LoopSeed(
                core: self, index: index, epoll: poll, mailboxes: mailboxes,
                counters: LoopCounters(loop: index), listener: index == 0 ? listener : nil)
        }
    }

    private static func register(_ poll: Int32, _ descriptor: Int32, _ key: UInt64) -> Bool {
        var event = epoll_event(events: Poller.readable, data: epoll_data_t(u64: key))
        return epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    /// Descriptors that are left for everything that is no connection.
    private static let reservedDescriptors = 64

    private static func connectionsByDescriptors() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return Int.max
        }
        let descriptors = Int(clamping: limit.rlim_cur)
        // A process that may hardly open anything still has to serve some.
        return max(descriptors / 2, descriptors - reservedDescriptors)
    }
}
