// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// The longest wait of a long-poll, in seconds.
    private static let maximumWait = 55
    /// How much longer than the wait its answer may take, in seconds.
    private static let waitMargin = 15

    /// `GET J/changes`: a page at once, a page as soon as there is something in it, or a stream of events.
    func listChanges(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let address = try call.jarAddress()
        let filter = try feedFilter(call)
        let since = Revision(
            rawValue: UInt64(try call.query.integer("since", in: 0...Int.max) ?? 0))
        let limit =
            try call.query.integer("limit", in: 1...ListChanges.maximumLimit)
            ?? ListChanges.defaultLimit
        let wait = try call.query.integer("wait", in: 0...Self.maximumWait) ?? 0
        // Held to its form also where it means nothing, as every parameter is.
        let last = try call.lastEventID()
        if Representation.prefersEvents(call.request.field("Accept")) {
            return try stream(address, filter, last ?? since, call, &exchange)
        }
        if wait > 0 {
            return try poll(address, filter, since, limit, seconds: wait, call, &exchange)
        }
        let responder = later(call, &exchange)
        let id = call.id
        settle(filter, of: address.tenant) { [self] result in
            switch result {
            case .success(let filter):
                let useCase = ListChanges(since: since, limit: limit, filter: filter)
                useCase.run(in: address, storage: storage) { [self] result in
                    responder.send(
                        response(
                            result.map { page in
                                .json(
                                    ChangePageBody(page, showingValues: filter.showsValues), id)
                            }, id))
                }
            case .failure(let error): responder.send(problem(Problem(error), id))
            }
        }
    }

    /// Hands over a filter of the host that the address of its URL belongs to: at once, unless the tenant's table of
    /// hosts is to be asked and not in memory.
    private func settle(
        _ filter: FeedFilter, of tenant: TenantID,
        completion: @escaping @Sendable (Result<FeedFilter, ServiceError>) -> Void
    ) {
        guard filter.scope.namesAddress else { return completion(.success(filter)) }
        storage.readTenant(tenant) { result in
            completion(
                result.mapError(ServiceError.storage).flatMap { tenant in
                    var filter = filter
                    do throws(ServiceError) {
                        filter.scope = try tenant.hosts.actual(filter.scope)
                        return .success(filter)
                    } catch {
                        return .failure(error)
                    }
                })
        }
    }

    /// Lets a follower take its seat once it is known what it follows.
    private func settle(
        _ filter: FeedFilter, of tenant: TenantID, in seat: FeedSeat, since: Revision,
        _ responder: Reply, _ id: RequestID,
        follower: @escaping @Sendable (FeedFilter) -> any FeedFollower
    ) {
        settle(filter, of: tenant) { [self] result in
            switch result {
            case .success(let filter): seat.take(follower(filter), since: since)
            case .failure(let error):
                seat.leave()
                responder.send(problem(Problem(error), id))
            }
        }
    }

    private func feedFilter(_ call: Call) throws(Problem) -> FeedFilter {
        var filter = FeedFilter()
        filter.stores = call.principal.record?.stores ?? []
        filter.showsValues = call.principal.seesValues
        if let name = try call.query.bytes("store") {
            guard let store = StoreID(name) else { throw .invalid("/query/store", StoreID.rule) }
            try call.checkUse(of: store)
            filter.store = store
        }
        if let text = try call.query.bytes("url") {
            filter.scope =
                try reading.readableURL(text, at: "/query/url").map { .url($0) } ?? .nowhere
        }
        return filter
    }

    private func stream(
        _ address: JarAddress, _ filter: FeedFilter, _ since: Revision, _ call: Call,
        _ exchange: inout HTTPExchange
    ) throws(Problem) {
        let seat = try feed.seat(for: address, .stream)
        let responder = later(call, &exchange, onAbandon: { seat.leave() })
        let (permit, id) = (permit(call.principal), call.id)
        settle(filter, of: address.tenant, in: seat, since: since, responder, id) {
            [settings] filter in
            EventStream(
                filter: filter, since: since, permit: permit, seat: seat, settings: settings.feed,
                responder: responder, id: id)
        }
    }

    private func poll(
        _ address: JarAddress, _ filter: FeedFilter, _ since: Revision, _ limit: Int,
        seconds: Int, _ call: Call, _ exchange: inout HTTPExchange
    ) throws(Problem) {
        let seat = try feed.seat(for: address, .poll)
        let responder = later(
            call, &exchange, within: seconds + Self.waitMargin, onAbandon: { seat.leave() })
        let (permit, id) = (permit(call.principal), call.id)
        let end = FeedClock.now + Int64(seconds) * 1000
        settle(filter, of: address.tenant, in: seat, since: since, responder, id) { [feed] filter in
            ChangePoll(
                filter: filter, permit: permit, limit: limit, until: end, responder: responder,
                id: id, tally: feed.tally)
        }
    }
}

extension Call {
    /// Where a client that connects again was when its stream ended; nil on its first time.
    fileprivate func lastEventID() throws(Problem) -> Revision? {
        guard let text = request.field("Last-Event-ID"), !text.isEmpty else { return nil }
        guard let number = DecimalDigits.parse(text), number <= UInt64(Int.max) else {
            throw .invalid("/header/Last-Event-ID", "must be the id of an event of this feed")
        }
        return Revision(rawValue: number)
    }
}
