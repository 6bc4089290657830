// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `POST J/sync`.
    func syncStores(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let address = try call.jarAddress()
        let body = try call.decode(SyncBody.self)
        let (from, to) = (try store(body.from, at: "/from"), try store(body.to, at: "/to"))
        try call.checkUse(of: from, to)
        guard from != to else { throw .invalid("/to", "must be another store than from") }
        var filter = SyncFilter(domains: body.domains.map(reading.domain), names: body.names)
        if let url = body.url { filter.url = try reading.url(url, at: "/filter/url") }
        let useCase = SyncStores(
            request: SyncRequest(from: from, to: to, mode: SyncMode(body.mode), filter: filter),
            isDryRun: body.isDryRun)
        useCase.run(
            in: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) { SyncAnswerBody($0) })
    }

    /// `POST S/rewrite-domain`.
    func rewriteDomain(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let body = try call.decode(RewriteDomainBody.self)
        let from = try reading.host(body.from, at: "/from")
        let to = try reading.host(body.to, at: "/to")
        guard to.isAddress || to.bytes.allSatisfy(HostReading.isHostNameOctet) else {
            throw .invalid("/to", "is not a host name that can be looked up")
        }
        let useCase = RewriteDomain(
            request: DomainRewrite(store: store, from: from, to: to, domainWide: body.isDomainWide),
            isDryRun: body.isDryRun)
        useCase.run(
            in: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange) { RewriteAnswerBody($0) })
    }

    private func store(_ name: [UInt8], at pointer: String) throws(Problem) -> StoreID {
        guard let store = StoreID(name) else { throw .invalid(pointer, StoreID.rule) }
        return store
    }
}
