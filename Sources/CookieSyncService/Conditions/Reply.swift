// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import JarStorage

/// The answer to a call that is given later, once.
struct Reply: Sendable {
    private let responder: HTTPResponder
    private let once: OnceCall?

    init(_ responder: HTTPResponder, _ once: OnceCall?) {
        self.responder = responder
        self.once = once
        once?.answers { responder.send($0) }
    }

    /// Sends the answer, or has it kept for when the write is durable.
    func send(_ response: HTTPResponse) {
        guard once?.take(response) != true else { return }
        responder.send(response)
    }
}

extension CookieSyncService {
    /// Leaves the answer for later.
    func later(
        _ call: Call, _ exchange: inout HTTPExchange, within seconds: Int? = nil
    ) -> Reply {
        Reply(exchange.deferResponse(within: seconds), call.conditions?.once)
    }

    /// The storage for what a call writes, on the call's conditions.
    func writing(_ call: Call) -> any JarStorage {
        guard let conditions = call.conditions else { return storage }
        return ConditionalStorage(storage, conditions, id: call.id)
    }
}
