// SPDX-License-Identifier: Apache-2.0

import Cookies
import HTTPServer
import JarStorage
import Locks

/// An answer of `cookie-header` with all that it depends on.
final class KnownAnswer: Sendable {
    /// In which form it is told, and to a client that takes what.
    struct Form: Equatable, Sendable {
        let representation: Representation
        let takesGzip: Bool
    }

    /// What was asked, as it was sent.
    private let target: [UInt8]
    private let places: (tenant: Range<Int>, jar: Range<Int>, store: Range<Int>)
    private let watch: SnapshotWatch
    private let times: Range<Timestamp>
    private let form: Form
    /// The operation.
    let route: Route
    /// The content.
    let body: [UInt8]
    /// Its tag.
    let tag: EntityTag
    /// The fields, but for the request's id.
    let fields: HTTPFields

    /// An answer; nil when the names do not stand in the target as they are, as where some are percent-encoded.
    ///
    /// - Parameters:
    ///   - call: what was asked.
    ///   - watch: tells of the jar that it was made of.
    ///   - times: how long the answer is the same.
    ///   - form: its form.
    ///   - body: the content.
    ///   - tag: the content's tag.
    ///   - fields: the fields of a full answer.
    init?(
        to call: borrowing Call, _ watch: SnapshotWatch, _ times: Range<Timestamp>, _ form: Form,
        _ body: [UInt8], _ tag: EntityTag, _ fields: HTTPFields
    ) {
        let target = call.request.target
        guard let tenant = target.place(of: call.path.tenant),
            let jar = target.place(of: call.path.jar),
            let store = target.place(of: call.path.store)
        else { return nil }
        self.target = Array(target)
        places = (tenant, jar, store)
        (self.watch, self.times, self.form) = (watch, times, form)
        (route, self.body, self.tag, self.fields) = (call.route, body, tag, fields)
    }

    /// Whether it answers these octets.
    func answers(_ target: UnsafeBufferPointer<UInt8>) -> Bool { target.isSame(as: self.target) }

    /// Whether it is still true.
    func holds(at now: Timestamp, in form: Form) -> Bool {
        times.contains(now) && self.form == form && watch.isCurrent
    }

    /// What the path of a request with this target names.
    func path(in target: UnsafeBufferPointer<UInt8>) -> PathParameters {
        var path = PathParameters()
        path.tenant = target.slice(places.tenant)
        path.jar = target.slice(places.jar)
        path.store = target.slice(places.store)
        return path
    }
}

/// Answers of `cookie-header` that are asked for again and again, so that they are not made again and again.
///
/// An answer depends on the target, the form, the state of the jar and the time; `KnownAnswer` has them all, so what is kept
/// is never wrong. Who calls, and whether it may, is looked at before. Each event loop has memory of its own. What is asked
/// once is not kept: a target has to come twice with no other of its slot between.
final class KnownAnswers: Sendable {
    private static let slots = 512
    private static let maximumBytes = 4096

    private struct Slot: Sendable {
        var answer: KnownAnswer?
        /// The hash of the target that was asked for last and is not kept.
        var seen: UInt64 = 0
    }

    private struct Share: Sendable {
        /// Empty as long as nothing was asked.
        var slots: [Slot] = []
        var repeats = 0
    }

    private let shares = LoopShares(Share())

    /// How many answers were found.
    var repeats: Int { shares.sum(\.repeats) }

    /// The answer to a target that is known on this event loop and holds.
    ///
    /// - Complexity: O(n) in the length of the target, without a heap allocation.
    func find(
        _ target: UnsafeBufferPointer<UInt8>, _ form: KnownAnswer.Form, at now: Timestamp,
        on loop: Int
    ) -> KnownAnswer? {
        let hash = TableHash.shared(target)
        return shares[loop].withLock { share in
            guard !share.slots.isEmpty else { return nil }
            let slot = Self.slot(of: hash)
            guard let answer = share.slots[slot].answer, answer.answers(target) else { return nil }
            guard answer.holds(at: now, in: form) else {
                share.slots[slot] = Slot(answer: nil, seen: hash)
                return nil
            }
            share.repeats &+= 1
            return answer
        }
    }

    /// Whether an answer to a target is worth to be kept: it has been asked for before.
    func wants(_ target: UnsafeBufferPointer<UInt8>, bodyCount: Int, on loop: Int) -> Bool {
        guard target.count + bodyCount <= Self.maximumBytes else { return false }
        let hash = TableHash.shared(target)
        return shares[loop].withLock { share in
            if share.slots.isEmpty { share.slots = [Slot](repeating: Slot(), count: Self.slots) }
            let slot = Self.slot(of: hash)
            if share.slots[slot].seen == hash { return true }
            share.slots[slot].seen = hash
            return false
        }
    }

    /// Keeps an answer, in the place of another one of its slot.
    func keep(_ answer: KnownAnswer, to target: UnsafeBufferPointer<UInt8>, on loop: Int) {
        let slot = Self.slot(of: TableHash.shared(target))
        shares[loop].withLock { share in
            guard slot < share.slots.count else { return }
            share.slots[slot].answer = answer
        }
    }

    private static func slot(of hash: UInt64) -> Int { Int(hash % UInt64(slots)) }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where a part of these octets lies in them; nil when it lies elsewhere.
    fileprivate func place(of part: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        guard let base = baseAddress, let start = part.baseAddress, start >= base else {
            return nil
        }
        let offset = start - base
        guard offset <= count, part.count <= count - offset else { return nil }
        return offset..<offset + part.count
    }
}
