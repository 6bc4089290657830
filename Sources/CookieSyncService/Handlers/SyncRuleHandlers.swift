// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `PUT T/sync-rules/{rule}`.
    func putSyncRule(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, name) = (try call.tenantID(), try ruleID(call))
        let body = try call.decode(SyncRuleRequestBody.self)
        guard let from = StorePattern(body.from) else {
            throw .invalid("/from", StorePattern.rule)
        }
        guard let to = StoreID(body.to) else { throw .invalid("/to", StoreID.rule) }
        guard body.from != body.to else { throw .invalid("/to", "must be another store than from") }
        var filter = SyncFilter(domains: body.domains.map(reading.domain), names: body.names)
        if let url = body.url { filter.url = try reading.url(url, at: "/filter/url") }
        let rule = SyncRule(
            name: name, from: from, to: to, mode: SyncMode(body.mode), filter: filter)
        let id = call.id
        PutSyncRule(rule: rule, appliesToExisting: body.appliesToExisting).run(
            of: tenant, storage: writing(call), now: clock(),
            completion: completion(call, &exchange) { [self] answer in
                if answer.rule.isUnfinished { backfills.resume(tenant) }
                return .json(
                    SyncRuleBody(answer.rule), id, status: answer.isNew ? .created : .ok)
            })
    }

    /// `GET T/sync-rules/{rule}`.
    func getSyncRule(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, name, id) = (try call.tenantID(), try ruleID(call), call.id)
        try answerOfTenant(call, &exchange) { [self] state in
            guard let rule = state.syncRule(name) else { return .failure(.notFound("sync rule")) }
            if rule.isUnfinished { backfills.resume(tenant) }
            return .success(.json(SyncRuleBody(rule), id))
        }
    }

    /// `DELETE T/sync-rules/{rule}`.
    func deleteSyncRule(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, name, id) = (try call.tenantID(), try ruleID(call), call.id)
        DeleteSyncRule(name: name).run(
            of: tenant, storage: writing(call),
            completion: completion(call, &exchange) { _ in .empty(.noContent, id) })
    }

    /// `GET T/sync-rules`.
    func listSyncRules(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, id) = (try call.tenantID(), call.id)
        try answerOfTenant(call, &exchange) { [self] state in
            if state.syncRules.contains(where: \.isUnfinished) { backfills.resume(tenant) }
            return .success(
                .json(SyncRuleListBody(rules: state.syncRules.map(SyncRuleBody.init)), id))
        }
    }

    private func ruleID(_ call: Call) throws(Problem) -> SyncRuleID {
        guard let name = SyncRuleID(call.path.rule) else {
            throw .invalid("/path/rule", SyncRuleID.rule)
        }
        return name
    }
}

extension SyncRuleBody {
    init(_ rule: SyncRule) {
        self.init(
            name: rule.name.bytes, from: rule.from.text, to: rule.to.bytes,
            mode: rule.mode.rawValue, url: rule.filter.url?.text, domains: rule.filter.domains,
            names: rule.filter.names,
            progress: rule.backfill.map { backfill in
                Progress(
                    startedAt: backfill.startedAt.milliseconds,
                    finishedAt: backfill.finishedAt?.milliseconds, jarCount: backfill.jarCount,
                    changedCount: backfill.changedCount)
            })
    }
}
