// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies

/// The query of a request whose parameters' names have been checked against the route's.
///
/// A view of the request's bytes. `+` stands for itself; a parameter without `=` has an empty value.
struct QueryParameters {
    private let text: UnsafeBufferPointer<UInt8>

    /// Checks that each parameter is one of those allowed, and there once.
    init(_ text: UnsafeBufferPointer<UInt8>?, allowed: [StaticString]) throws(Problem) {
        self.text = text ?? UnsafeBufferPointer(start: nil, count: 0)
        var seen: UInt64 = 0
        var problem: Problem?
        Self.forEachPair(of: self.text) { name, _ in
            guard problem == nil else { return }
            guard let index = allowed.firstIndex(where: { name.equals($0) }) else {
                problem = .invalid(Self.pointer(name), "is not a parameter that is known here")
                return
            }
            if seen & 1 << UInt64(index) != 0 {
                problem = .invalid(Self.pointer(name), "must not be repeated")
            }
            seen |= 1 << UInt64(index)
        }
        if let problem { throw problem }
    }

    /// Whether there are none.
    var isEmpty: Bool { text.isEmpty }

    /// A parameter's bytes, percent-decoded; nil without it.
    func bytes(_ name: StaticString) throws(Problem) -> [UInt8]? {
        guard let raw = raw(name) else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(raw.count)
        guard PercentEncoding.decode(raw, into: &decoded) else {
            throw .invalid("/query/\(name)", "has a % without two hexadecimal digits after it")
        }
        return decoded
    }

    /// The bytes of a parameter that must be there.
    func required(_ name: StaticString) throws(Problem) -> [UInt8] {
        guard let bytes = try bytes(name) else { throw .invalid("/query/\(name)", "is required") }
        return bytes
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
        guard let number = Decimal.parse(raw).flatMap(Int.init(exactly:)), range ~= number else {
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
        var found: UnsafeBufferPointer<UInt8>?
        Self.forEachPair(of: text) { candidate, value in
            if candidate.equals(name) { found = value }
        }
        return found
    }

    private static func forEachPair(
        of text: UnsafeBufferPointer<UInt8>,
        _ body: (_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>) -> Void
    ) {
        text.forEachPiece(separatedBy: UInt8(ascii: "&")) { pair in
            guard !pair.isEmpty else { return }
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.count
            body(pair.slice(0..<equals), pair.slice(min(equals + 1, pair.count)..<pair.count))
        }
    }

    private static func pointer(_ name: UnsafeBufferPointer<UInt8>) -> String {
        "/query/\(String(decoding: name.prefix(64), as: UTF8.self))"
    }
}
