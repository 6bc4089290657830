// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET S/cookies`.
    func listCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        var filter = try cookieFilter(call)
        if let text = try call.query.bytes("url") {
            filter.scope =
                try reading.readableURL(text, at: "/query/url").map { .url($0) } ?? .nowhere
        }
        let useCase = ListCookies(
            filter: filter, after: try cursor(call) { CookiePosition(cursor: $0) },
            limit: try call.query.integer("limit", in: 1...1000) ?? 100)
        let (store, id, showsValues) = (try call.storeID(), call.id, call.principal.seesValues)
        try answer(call, &exchange, namesAddress: filter.scope.namesAddress) {
            [self] snapshot, hosts throws(ServiceError) in
            let page = try useCase.actual(by: hosts)
                .run(on: snapshot.state.stores[store], now: clock())
            let body = CookiePageBody(
                cookies: page.cookies.map { CookieBody($0, showingValue: showsValues) },
                nextCursor: page.next?.cursor,
                revision: snapshot.state.revision.rawValue)
            return .json(body, id)
        }
    }

    /// `PUT S/cookies`.
    func putCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let body = try call.decode(PutCookiesBody.self)
        let useCase = PutCookies(
            cookies: body.cookies.map(FinishedCookie.init), pointer: { body.pointer(to: $0) })
        let showsValues = call.principal.seesValues
        useCase.run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) {
                VerdictsBody($0, folding: nil, showingValues: showsValues)
            })
    }

    /// `DELETE S/cookies`.
    func deleteCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        var filter = try cookieFilter(call)
        if let text = try call.query.bytes("url") {
            filter.scope = .url(try reading.url(text, at: "/query/url"))
        }
        filter.since = try call.query.time("since")
        let deletesAll = try call.query.bool("all") ?? false
        guard deletesAll || !filter.isEmpty else {
            throw .invalid("/query", "needs a filter, or all=true to delete every cookie")
        }
        guard !deletesAll || filter.isEmpty else {
            throw .invalid("/query/all", "must not stand beside a filter")
        }
        DeleteCookies(filter: filter).run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) {
                DeletedBody(deleted: $0.answer, revision: $0.revision.rawValue)
            })
    }

    private func cookieFilter(_ call: Call) throws(Problem) -> CookieFilter {
        var filter = CookieFilter()
        filter.domain = try call.query.bytes("domain").map(reading.domain)
        filter.name = try call.query.bytes("name")
        filter.path = try call.query.bytes("path")
        return filter
    }

    /// The place that the `cursor` parameter stands for; nil without it.
    func cursor<Position>(
        _ call: Call, _ position: ([UInt8]) -> Position?
    ) throws(Problem) -> Position? {
        guard let text = try call.query.bytes("cursor") else { return nil }
        guard let position = position(text) else {
            throw .invalid("/query/cursor", "is not a cursor of this list")
        }
        return position
    }
}
