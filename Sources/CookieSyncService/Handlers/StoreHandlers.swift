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
        useCase.run(in: address, storage: writing(call), rules: rules, now: clock()) {
            [self] result in
            switch result {
            case .success(let changed):
                responder.send(
                    .json(changed.answer.body, id, status: changed.answer.isNew ? .created : .ok))
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
        if let word = body.matching { matching = HostMatching(word) }
        if let lifetime = body.sessionLifetimeSeconds { sessionLifetimeSeconds = lifetime }
    }
}

extension HostMatching {
    fileprivate init(_ word: HostMatchingWord) {
        switch word {
        case .rfc6265: self = .rfc6265
        case .hostSuffix: self = .hostSuffix
        case .hostContains: self = .hostContains
        }
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
