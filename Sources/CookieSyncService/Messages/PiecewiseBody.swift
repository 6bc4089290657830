// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Locks

/// Content that is written as fast as the client reads it, by a closure that is there from the beginning or comes later.
final class PiecewiseBody: HTTPBodySource {
    /// Appends the next pieces, about so many octets, and says whether there is more.
    typealias Write = @Sendable (_ bytes: inout [UInt8], _ room: Int) -> Bool

    private struct State: Sendable {
        var prelude: [UInt8]
        var write: Write?
        var isEnded = false
        var signal: HTTPStreamSignal?
    }

    private let state: Locked<State>

    /// Content.
    ///
    /// - Parameters:
    ///   - prelude: What comes first.
    ///   - write: What writes the rest; nil for one that `resume` brings.
    init(prelude: [UInt8] = [], _ write: Write?) {
        state = Locked(State(prelude: prelude, write: write))
    }

    /// Brings what writes the rest.
    func resume(_ write: @escaping Write) {
        state.withLock { state in
            state.write = write
            return state.signal
        }?.signal()
    }

    func start(_ signal: HTTPStreamSignal) {
        state.withLock { $0.signal = signal }
    }

    func read(into output: inout [UInt8], room: Int) -> HTTPSourceProgress {
        state.withLock { state in
            if !state.prelude.isEmpty {
                output += state.prelude
                state.prelude = []
                return .more
            }
            guard !state.isEnded else { return .end }
            guard let write = state.write else { return .wait }
            state.isEnded = !write(&output, room)
            return state.isEnded ? .end : .more
        }
    }

    func cancel() {
        state.withLock { state in
            state.write = nil
            state.isEnded = true
        }
    }
}
