// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `PUT S`.
    func putStore(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let body = try call.decode(StoreSettingsBody.self)
        let useCase = ConfigureStore(store: store) { $0.apply(body) }
        let responder = later(call, &exchange)
        let id = call.id
        useCase.run(in: address, storage: writing(call), now: clock()) { [self] result in
            switch result {
            case .success(let changed):
                guard let body = changed.answer.body else {
                    return responder.send(problem(Problem(.notFound, "The store is gone."), id))
                }
                responder.send(
                    .json(body, id, status: changed.answer.isNew ? .created : .ok))
            case .failure(let error): responder.send(problem(Problem(error), id))
            }
        }
    }

    /// `POST S/promote`.
    func promoteSession(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let body = try call.decode(PromoteBody.self)
        var filter = CookieFilter()
        if let url = body.url { filter.scope = .url(try reading.url(url, at: "/url")) }
        PromoteSession(filter: filter, lifetimeSeconds: body.lifetimeSeconds).run(
            in: store, of: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) {
                PromotedBody(promoted: $0.answer, revision: $0.revision.rawValue)
            })
    }
}

extension StoreSettings {
    fileprivate mutating func apply(_ body: StoreSettingsBody) {
        if let policy = body.acceptPolicy { acceptPolicy = AcceptPolicy(policy) }
        if let lifetime = body.sessionLifetimeSeconds { sessionLifetimeSeconds = lifetime }
    }
}

extension AcceptPolicy {
    fileprivate init(_ word: AcceptPolicyWord) {
        switch word {
        case .always: self = .always
        case .never: self = .never
        case .onlyFromMainDocument: self = .onlyFromMainDocument
        }
    }
}
