// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The query of a request, cut into parameters whose names have been checked against the route's.
///
/// A view of the request's bytes. `+` stands for itself; a parameter without `=` has an empty value.
struct QueryParameters {
    /// No route knows more parameters; one that may be repeated is counted once.
    static let maximum = 9

    private let text: UnsafeBufferPointer<UInt8>
    private let repeatable: StaticString?
    private var pairs = InlineArray<9, Pair>(repeating: Pair())
    private var count = 0

    /// Where a parameter lies in the text.
    private struct Pair {
        var start = 0
        var nameEnd = 0
        var end = 0
    }

    /// Checks that each parameter is one of those allowed, and there once unless it is `repeatable`.
    init(
        _ query: UnsafeBufferPointer<UInt8>?, allowed: [StaticString],
        repeatable: StaticString? = nil
    ) throws(Problem) {
        text = query ?? UnsafeBufferPointer(start: nil, count: 0)
        self.repeatable = repeatable
        var start = 0
        while start < text.count {
            let end = text.firstIndex(of: UInt8(ascii: "&"), in: start..<text.count) ?? text.count
            if end > start { try add(start..<end, allowed) }
            start = end + 1
        }
    }

    private mutating func add(_ range: Range<Int>, _ allowed: [StaticString]) throws(Problem) {
        let nameEnd = text.firstIndex(of: UInt8(ascii: "="), in: range) ?? range.upperBound
        let name = text.slice(range.lowerBound..<nameEnd)
        guard allowed.contains(where: { name.equals($0) }) else {
            throw .invalid(Self.pointer(name), "is not a parameter that is known here")
        }
        for index in 0..<count where self.name(index).isSame(as: name) {
            if let repeatable, name.equals(repeatable) { return }
            throw .invalid(Self.pointer(name), "must not be repeated")
        }
        pairs[count] = Pair(start: range.lowerBound, nameEnd: nameEnd, end: range.upperBound)
        count += 1
    }

    /// Whether there are none.
    var isEmpty: Bool { count == 0 }

    /// All of them, as they were sent.
    var bytes: UnsafeBufferPointer<UInt8> { text }

    /// A parameter's bytes, percent-decoded; nil without it.
    func bytes(_ name: StaticString) throws(Problem) -> [UInt8]? {
        guard let raw = raw(name) else { return nil }
        return try Self.decoded(raw, of: name)
    }

    /// The bytes of a parameter that must be there.
    func required(_ name: StaticString) throws(Problem) -> [UInt8] {
        guard let bytes = try bytes(name) else { throw .invalid("/query/\(name)", "is required") }
        return bytes
    }

    /// The bytes of each occurrence of the parameter that may be repeated, in order; there must be one.
    func all(_ name: StaticString, atMost limit: Int) throws(Problem) -> [[UInt8]] {
        var found: [UnsafeBufferPointer<UInt8>] = []
        text.forEachPiece(separatedBy: UInt8(ascii: "&")) { piece in
            let nameEnd = piece.firstIndex(of: UInt8(ascii: "="), in: 0..<piece.count)
            guard piece.slice(0..<(nameEnd ?? piece.count)).equals(name) else { return }
            found.append(piece.slice((nameEnd.map { $0 + 1 } ?? piece.count)..<piece.count))
        }
        guard !found.isEmpty else { throw .invalid("/query/\(name)", "is required") }
        guard found.count <= limit else {
            throw .invalid("/query/\(name)", "must not be there more than \(limit) times")
        }
        var values: [[UInt8]] = []
        for raw in found { values.append(try Self.decoded(raw, of: name)) }
        return values
    }

    private static func decoded(
        _ raw: UnsafeBufferPointer<UInt8>, of name: StaticString
    ) throws(Problem) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        guard PercentEncoding.decode(raw, into: &decoded) else {
            throw .invalid("/query/\(name)", "has a % without two hexadecimal digits after it")
        }
        return decoded
    }

    /// The `method` parameter; nil without it.
    func method() throws(Problem) -> [UInt8]? {
        guard let text = try bytes("method") else { return nil }
        guard let method = MethodName.read(text) else {
            throw .invalid("/query/method", "must be a method's name")
        }
        return method
    }

    /// A truth value: `true` or `false`; nil without the parameter.
    func bool(_ name: StaticString) throws(Problem) -> Bool? {
        guard let raw = raw(name) else { return nil }
        if raw.equals("true") { return true }
        if raw.equals("false") { return false }
        throw .invalid("/query/\(name)", "must be true or false")
    }

    /// A whole number in a range; nil without the parameter.
    func integer(_ name: StaticString, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let raw = raw(name) else { return nil }
        guard let number = DecimalDigits.parse(raw).flatMap(Int.init(exactly:)), range ~= number
        else {
            let (low, high) = (range.lowerBound, range.upperBound)
            throw .invalid("/query/\(name)", "must be a whole number from \(low) to \(high)")
        }
        return number
    }

    /// A time; nil without the parameter.
    func time(_ name: StaticString) throws(Problem) -> Timestamp? {
        guard let text = try bytes(name) else { return nil }
        guard let milliseconds = RFC3339.parse(text) else {
            throw .invalid("/query/\(name)", "must be an RFC 3339 time")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    /// One of an enumeration's raw values; nil without the parameter.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: StaticString, of type: Choice.Type
    ) throws(Problem) -> Choice? where Choice.RawValue == String {
        guard let raw = raw(name) else { return nil }
        guard let choice = Choice.allCases.first(where: { raw.elementsEqual($0.rawValue.utf8) })
        else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("/query/\(name)", "must be one of: \(choices)")
        }
        return choice
    }

    private func raw(_ name: StaticString) -> UnsafeBufferPointer<UInt8>? {
        for index in 0..<count where self.name(index).equals(name) {
            let pair = pairs[index]
            return text.slice(min(pair.nameEnd + 1, pair.end)..<pair.end)
        }
        return nil
    }

    private func name(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        text.slice(pairs[index].start..<pairs[index].nameEnd)
    }

    private static func pointer(_ name: UnsafeBufferPointer<UInt8>) -> String {
        "/query/\(String(decoding: name.prefix(64), as: UTF8.self))"
    }
}
