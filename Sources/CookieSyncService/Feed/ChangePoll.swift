// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage
import Synchronization

/// A long-poll: a page that is answered once it tells of something, or empty when its time is over.
final class ChangePoll: FeedFollower {
    let filter: FeedFilter
    let permit: FeedPermit
    let deadline: Int64
    private let limit: Int
    private let responder: Reply
    private let id: RequestID
    private let tally: FeedTally

    init(
        filter: FeedFilter, permit: FeedPermit, limit: Int, until deadline: Int64,
        responder: Reply, id: RequestID, tally: FeedTally
    ) {
        self.filter = filter
        self.permit = permit
        self.limit = limit
        self.deadline = min(deadline, permit.endsAt)
        self.responder = responder
        self.id = id
        self.tally = tally
    }

    var wantsHeartbeats: Bool { false }
    var hasRoom: Bool { true }

    func begin() {}
    func beat() {}

    func take(_ page: FeedPage, after revision: Revision) -> FeedStep {
        let answer = page.answer(filter, after: revision, limit: limit)
        guard !answer.isEmpty else { return .reached(answer.revision) }
        tally.pollsAnswered.add(1, ordering: .relaxed)
        responder.send(.json(answer.body, id))
        return .done
    }

    func fault(at now: Int64) -> FeedEnd? {
        if now >= permit.endsAt { return .revoked }
        if let fault = permit.fault() { return fault }
        return now >= deadline ? .timedOut : nil
    }

    func end(_ reason: FeedEnd, at revision: Revision) {
        switch reason {
        case .timedOut, .slow, .drain:
            responder.send(.json(FeedPage.nothing(until: revision), id))
        case .cursorGone, .failed, .revoked:
            responder.send(.problem(reason.problem, id))
        }
    }
}
