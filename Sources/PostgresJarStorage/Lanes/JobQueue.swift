// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// What waits for the lanes of one kind: bounded, first come first served, and one lane at a time for a jar's writes.
final class JobQueue: Sendable {
    private struct State {
        var jobs: [Job] = []
        /// What lanes are writing to.
        var claims = Set<Job.Claim>()
        /// The lanes that have nothing to do.
        var idle: [Int] = []
        var connected = Set<Int>()
        /// How many jobs there was no room for.
        var refused = 0
        var isClosing = false
    }

    /// How many jobs a lane takes at a time.
    private static let batch = 128

    private let state = Locked(State())
    private let bells: [EventDescriptor]
    private let limit: Int

    /// A queue for as many lanes as there are bells.
    init(bells: [EventDescriptor], limit: Int) {
        self.bells = bells
        self.limit = limit
    }

    /// Takes a job in; answers why not.
    func enqueue(_ job: Job) -> JarStorageError? {
        let outcome = state.withLock { state -> Result<Int?, JarStorageError> in
            guard !state.isClosing else { return .failure(.unavailable) }
            guard state.jobs.count < limit else {
                state.refused += 1
                return .failure(.busy)
            }
            state.jobs.append(job)
            return .success(state.idle.popLast())
        }
        switch outcome {
        case .failure(let error): return error
        case .success(let lane):
            if let lane { bells[lane].ring() }
            return nil
        }
    }

    /// What the lane is to do next, its jars claimed.
    ///
    /// Empty when there is nothing: the bell will ring. Nil when there never will be.
    func take(_ lane: Int) -> [Job]? {
        let jobs = state.withLock { state -> [Job]? in
            var selection = Selection(claims: state.claims, limit: Self.batch)
            state.jobs = state.jobs.filter { !selection.take($0) }
            let taken = selection.taken
            state.claims.formUnion(selection.own)
            if taken.isEmpty {
                if state.isClosing, state.jobs.isEmpty { return nil }
                state.idle.append(lane)
            } else {
                state.idle.removeAll { $0 == lane }
            }
            return taken
        }
        // One that was woken by the end, and found only what another had claimed, sleeps until it hears of that.
        if jobs == nil { ringAll() }
        return jobs
    }

    /// Lets others write to what these jobs have claimed.
    func release(_ jobs: [Job]) {
        let claims = jobs.compactMap(\.claim)
        guard !claims.isEmpty else { return }
        state.withLock { state in
            for claim in claims { state.claims.remove(claim) }
        }
    }

    /// Says that a lane is connected.
    func connect(_ lane: Int) {
        state.withLock { _ = $0.connected.insert(lane) }
    }

    /// Says that a lane is not connected, and gives back what it has not done, to be done before all else by a lane that
    /// is free.
    ///
    /// Answers the jobs that nobody can do now, unless a lane is connected or the caller is about to try again.
    func disconnect(_ lane: Int, isHopeless: Bool, returning jobs: [Job] = []) -> [Job] {
        let (refused, free) = state.withLock { state -> ([Job], Int?) in
            state.connected.remove(lane)
            state.idle.removeAll { $0 == lane }
            for claim in jobs.compactMap(\.claim) { state.claims.remove(claim) }
            state.jobs.insert(contentsOf: jobs, at: 0)
            guard isHopeless, state.connected.isEmpty else {
                return ([], state.jobs.isEmpty ? nil : state.idle.popLast())
            }
            defer { state.jobs = [] }
            return (state.jobs, nil)
        }
        if let free { bells[free].ring() }
        return refused
    }

    /// Takes out what has waited since before that time.
    func expire(before time: MonotonicTime) -> [Job] {
        state.withLock { state in
            guard let first = state.jobs.first, first.arrival < time else { return [] }
            let late = state.jobs.filter { $0.arrival < time }
            state.jobs.removeAll { $0.arrival < time }
            return late
        }
    }

    /// Takes no more jobs; the lanes end when they have done what there is.
    func close() {
        state.withLock { $0.isClosing = true }
        ringAll()
    }

    private func ringAll() {
        for bell in bells { bell.ring() }
    }

    /// Whether `close` was called.
    var isClosing: Bool { state.withLock { $0.isClosing } }

    /// What its lanes have to do.
    var load: DatabaseCounters.Lanes {
        state.withLock { state in
            DatabaseCounters.Lanes(
                connections: state.connected.count, queuedCalls: state.jobs.count,
                refusedCalls: state.refused)
        }
    }

    /// Whether any lane can do something.
    var isConnected: Bool { state.withLock { !$0.connected.isEmpty } }
}

/// The choice of what a lane takes from a queue, job by job in their order.
///
/// What is passed over holds back all that comes later for the same jar, or for a tenant whose records are to be
/// written, so that both keep their order.
private struct Selection {
    private let claims: Set<Job.Claim>
    private let limit: Int
    private(set) var taken: [Job] = []
    private(set) var own = Set<Job.Claim>()
    private var passed = Set<Job.Claim>()

    init(claims: Set<Job.Claim>, limit: Int) {
        self.claims = claims
        self.limit = limit
    }

    /// Whether the job is taken.
    mutating func take(_ job: Job) -> Bool {
        guard let claim = job.claim else {
            guard taken.count < limit else { return false }
            taken.append(job)
            return true
        }
        guard taken.count < limit, isFree(claim) else {
            passed.insert(claim)
            return false
        }
        // It is a transaction of its own, so what came before it for its jar is done first, and what comes after later.
        if case .writeOnce = job.kind {
            guard own.insert(claim).inserted else {
                passed.insert(claim)
                return false
            }
            passed.insert(claim)
        }
        own.insert(claim)
        taken.append(job)
        return true
    }

    private func isFree(_ claim: Job.Claim) -> Bool {
        if own.contains(claim) { return !passed.contains(claim) }
        guard !claims.contains(claim), !passed.contains(claim) else { return false }
        // Records are written before the jars of the same batch, so both of a tenant in one would change their order.
        switch claim {
        case .jar(let address):
            let tenant = Job.Claim.tenant(address.tenant)
            return !claims.contains(tenant) && !passed.contains(tenant) && !own.contains(tenant)
        case .tenant, .catalogue: return true
        }
    }
}
