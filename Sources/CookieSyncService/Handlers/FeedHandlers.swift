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
        if Representation.prefersEvents(call.request.field("Accept")) {
            let cursor = try call.lastEventID() ?? since
            return try stream(address, filter, cursor, call, &exchange)
        }
        if wait > 0 {
            return try poll(address, filter, since, limit, seconds: wait, call, &exchange)
        }
        let responder = later(call, &exchange)
        let id = call.id
        ListChanges(since: since, limit: limit, filter: filter).run(in: address, storage: storage) {
            [self] result in
            switch result {
            case .success(let page):
                responder.send(.json(ChangePageBody(page, showingValues: filter.showsValues), id))
            case .failure(let error): responder.send(problem(Problem(error), id))
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
        let stream = EventStream(
            filter: filter, since: since, permit: permit(call.principal), seat: seat,
            settings: settings.feed,
            responder: responder, id: call.id)
        seat.take(stream, since: since)
    }

    private func poll(
        _ address: JarAddress, _ filter: FeedFilter, _ since: Revision, _ limit: Int,
        seconds: Int, _ call: Call, _ exchange: inout HTTPExchange
    ) throws(Problem) {
        let seat = try feed.seat(for: address, .poll)
        let responder = later(
            call, &exchange, within: seconds + Self.waitMargin, onAbandon: { seat.leave() })
        let poll = ChangePoll(
            filter: filter, permit: permit(call.principal), limit: limit,
            until: FeedClock.now + Int64(seconds) * 1000,
            responder: responder, id: call.id, tally: feed.tally)
        seat.take(poll, since: since)
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
