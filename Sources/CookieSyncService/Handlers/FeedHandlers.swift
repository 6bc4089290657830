// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET J/changes`.
    func listChanges(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let address = try call.jarAddress()
        var store: StoreID?
        if let name = try call.query.bytes("store") {
            guard let named = StoreID(name) else { throw .invalid("/query/store", StoreID.rule) }
            store = named
        }
        var scope = CookieFilter.Scope.any
        if let text = try call.query.bytes("url") {
            scope = try reading.readableURL(text, at: "/query/url").map { .url($0) } ?? .nowhere
        }
        let since = UInt64(try call.query.integer("since", in: 0...Int.max) ?? 0)
        let useCase = ListChanges(
            since: Revision(rawValue: since),
            limit: try call.query.integer("limit", in: 1...ListChanges.maximumLimit)
                ?? ListChanges.defaultLimit,
            store: store, scope: scope)
        let responder = exchange.deferResponse()
        let id = call.id
        useCase.run(in: address, storage: storage) { [self] result in
            switch result {
            case .success(let page): responder.send(.json(ChangePageBody(page), id))
            case .failure(let error): responder.send(problem(Problem(error), id))
            }
        }
    }
}
