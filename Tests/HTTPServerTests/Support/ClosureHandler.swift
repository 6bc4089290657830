// SPDX-License-Identifier: Apache-2.0

import Locks

@testable import HTTPServer

/// A handler for one test.
struct ClosureHandler: HTTPHandler {
    var admission: @Sendable (HTTPRequest) -> HTTPAdmission = { _ in .collectBody(limit: 1 << 20) }
    let answer: @Sendable (HTTPRequest, inout HTTPExchange) -> Void

    func admit(_ head: HTTPRequest, _ note: inout RequestNote) -> HTTPAdmission {
        admission(head)
    }
    func respond(to request: HTTPRequest, _ exchange: inout HTTPExchange) {
        answer(request, &exchange)
    }
}

/// Responders that a test answers when it wants to.
final class Parked: Sendable {
    private let responders = Locked<[HTTPResponder]>([])

    func add(_ responder: HTTPResponder) { responders.withLock { $0.append(responder) } }
    func takeAll() -> [HTTPResponder] {
        responders.withLock { all in
            defer { all = [] }; return all
        }
    }
    var count: Int { responders.withLock { $0.count } }

    /// A handler that parks everything but `/now`; `/hasty` with no time at all.
    var handler: ClosureHandler {
        ClosureHandler { request, exchange in
            if request.path.elementsEqual("/now".utf8) {
                exchange.body.append(contentsOf: "now".utf8)
                exchange.send(.ok)
            } else {
                let isHasty = request.path.elementsEqual("/hasty".utf8)
                self.add(exchange.deferResponse(within: isHasty ? 0 : nil))
            }
        }
    }
}

/// Content that is given as often as it is asked for, up to a size; counts what was taken.
final class CountingSource: HTTPBodySource {
    struct State: Sendable {
        var given = 0
        var isCancelled = false
        var signal: HTTPStreamSignal?
        /// How much may be given before the next signal.
        var allowance: Int
    }

    let total: Int
    let unsentLimit: Int
    let endsWithClient: Bool
    private let state: Locked<State>
    var snapshot: State { state.withLock { $0 } }

    init(
        total: Int, allowance: Int = Int.max, unsentLimit: Int = Int.max,
        endsWithClient: Bool = false
    ) {
        self.total = total
        self.unsentLimit = unsentLimit
        self.endsWithClient = endsWithClient
        state = Locked(State(allowance: allowance))
    }

    func start(_ signal: HTTPStreamSignal) { state.withLock { $0.signal = signal } }
    func cancel() { state.withLock { $0.isCancelled = true } }

    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
        state.withLock { state in
            let count = min(room, min(total, state.allowance) - state.given)
            output.append(contentsOf: repeatElement(UInt8(ascii: "s"), count: max(0, count)))
            state.given += max(0, count)
            if state.given == total { return .end }
            return state.given >= state.allowance ? .wait : .more
        }
    }

    func allow(_ allowance: Int) {
        let signal = state.withLock { state in
            state.allowance = allowance
            return state.signal
        }
        signal?.signal()
    }
}
