// SPDX-License-Identifier: Apache-2.0

import Cookies
import HostNames

/// A jar with one store, as little as the tests need: decides, applies, evicts.
struct TestJar {
    var store = CookieStore()
    var rules: CookieRules
    var now: Timestamp
    private var order: UInt64 = 0

    init(_ rules: CookieRules, now: Timestamp = World.now) {
        self.rules = rules
        self.now = now
    }

    /// Takes a line; nil when it was accepted.
    @discardableResult
    mutating func receive(_ line: [UInt8], from context: ResponseContext) -> CookieRejection? {
        do {
            let parsed = try SetCookie(parsing: line)
            order += 1
            return apply(
                store.decide(parsed, from: context, rules: rules, now: now, order: order))
        } catch {
            return error
        }
    }

    /// Takes a line of a plain response; nil when it was accepted.
    @discardableResult
    mutating func receive(_ line: String, from url: String) throws -> CookieRejection? {
        receive(Array(line.utf8), from: ResponseContext(url: try World.url(url)))
    }

    @discardableResult
    mutating func put(_ cookie: FinishedCookie) -> CookieRejection? {
        order += 1
        return apply(store.decide(cookie, rules: rules, now: now, order: order))
    }

    func header(for request: RequestContext) -> [UInt8] {
        var output: [UInt8] = []
        _ = store.appendCookieHeader(for: request, rules: rules, now: now, to: &output)
        return output
    }

    func header(for url: String) throws -> String {
        String(decoding: header(for: RequestContext(url: try World.url(url))), as: UTF8.self)
    }

    private mutating func apply(_ decision: StorageDecision) -> CookieRejection? {
        switch decision {
        case .reject(let reason): return reason
        case .unchanged: return nil
        case .delete(let identity, existing: _): store.remove(identity)
        case .store(let cookie, isReplacing: _):
            store.upsert(cookie)
            let evicted = store.evictions(
                afterStoring: cookie.identity, rules: rules, now: now)
            for identity in evicted { store.remove(identity) }
        }
        return nil
    }
}
