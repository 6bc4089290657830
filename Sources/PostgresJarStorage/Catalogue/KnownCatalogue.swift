// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks
import Synchronization

/// The catalogue as this node knows it, and until when it may be relied on.
///
/// A state that the database has confirmed is good for `leaseMilliseconds` from when the database was asked. Whoever
/// changes tokens, on any node, answers only when that time has passed since the commit: so no node goes by what is older
/// than an acknowledged change, whether it has heard of the change or not.
final class KnownCatalogue: Sendable {
    typealias Standing = CatalogueRows.Standing

    /// What is known as of one moment.
    struct Content: Sendable {
        var state = CatalogueState()
        var standing = Standing.absent
        /// When the database was asked that said so last; nil for never.
        var confirmedAt: MonotonicTime?
    }

    /// For how long what was confirmed is good.
    static let leaseMilliseconds = 900
    /// After how long a change is acknowledged: clocks of two nodes need not run at quite the same rate.
    static let settlingMilliseconds = 950
    /// After how long without a confirmation those that were let in before have to go.
    static let lostMilliseconds = 4_000

    private let content: Locked<Content>
    private let isLimited = Atomic(false)
    private let wasLost = Atomic(false)
    private let observer = Locked<(@Sendable () -> Void)?>(nil)

    init() { content = Locked(Content()) }

    /// All of it.
    var now: Content { content.withLock { $0 } }

    var state: CatalogueState { content.withLock { $0.state } }

    var hasLimits: Bool { isLimited.load(ordering: .relaxed) }

    /// The state, if its time is not over.
    var currentState: CatalogueState? {
        content.withLock { content in
            guard let time = content.confirmedAt,
                MonotonicTime.now < time.adding(milliseconds: Self.leaseMilliseconds)
            else { return nil }
            return content.state
        }
    }

    /// Whether its time has been over for long.
    var isLost: Bool {
        content.withLock { content in
            guard let time = content.confirmedAt else { return true }
            return MonotonicTime.now >= time.adding(milliseconds: Self.lostMilliseconds)
        }
    }

    func observe(_ observer: @escaping @Sendable () -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// Tells the observer once when the state is lost; to be called now and then.
    func watchTime() {
        let isLost = isLost
        if wasLost.exchange(isLost, ordering: .relaxed) != isLost, isLost { tell() }
    }

    /// The database, asked at that time, has confirmed a standing; false if that is not what is known.
    func confirm(_ standing: Standing, askedAt time: MonotonicTime) -> Bool {
        content.withLock { $0.confirm(standing, time) }
    }

    /// Takes what has changed from one standing to another; false if what is known cannot be brought there by it.
    ///
    /// What is known may have moved on meanwhile: the changes say what each came to in the end.
    func advance(
        _ changes: [CatalogueChange], from base: Standing, to standing: Standing,
        askedAt time: MonotonicTime
    ) -> Bool {
        let (isThere, hasChanged) = content.withLock { content in
            guard content.standing.generation < standing.generation else {
                return (content.confirm(standing, time), false)
            }
            guard content.standing == base || content.standing.generation > base.generation else {
                return (false, false)
            }
            content.state = content.state.applying(changes)
            content.standing = standing
            return (content.confirm(standing, time), true)
        }
        if hasChanged { publish() }
        return isThere
    }

    /// Takes everything anew in the place of what was known at `base`; false if that has moved on.
    func replace(_ rows: CatalogueRows, from base: Standing, askedAt time: MonotonicTime) -> Bool {
        let isThere = content.withLock { content in
            guard content.standing == base else { return content.confirm(rows.standing, time) }
            content.state = content.state.reloaded(tenants: rows.tenants, tokens: rows.tokens)
            content.standing = rows.standing
            return content.confirm(rows.standing, time)
        }
        if isThere { publish() }
        return isThere
    }

    private func publish() {
        isLimited.store(state.hasLimits, ordering: .relaxed)
        tell()
    }

    private func tell() { observer.withLock { $0 }?() }
}

extension KnownCatalogue.Content {
    fileprivate mutating func confirm(
        _ standing: CatalogueRows.Standing, _ time: MonotonicTime
    ) -> Bool {
        guard self.standing == standing else { return false }
        confirmedAt = confirmedAt.map { max($0, time) } ?? time
        return true
    }
}
