// SPDX-License-Identifier: Apache-2.0

/// An object whose members' names have been checked.
public struct JSONObject: Sendable {
    /// The object itself.
    public let value: JSONValue
    /// A bit for each length that a name of a member has: most of the names that are asked for are of none of them.
    private let lengths: UInt64

    init(value: JSONValue) {
        self.value = value
        var lengths: UInt64 = 0
        value.forEachMember { name, _ in lengths |= name.lengthsOfName }
        self.lengths = lengths
    }

    /// A member, or nil when the object does not have it.
    ///
    /// - Complexity: O(members), O(1) where no member's name is as long.
    public subscript(_ name: StaticString) -> JSONValue? {
        guard lengths & Self.length(name.utf8CodeUnitCount) != 0 else { return nil }
        return find(name)
    }

    private func find(_ name: StaticString) -> JSONValue? {
        var found: JSONValue?
        value.forEachMember { candidate, member in
            if candidate.isName(name) { found = member }
        }
        return found
    }

    /// The bit of a length; one stands for all that are too long for one of their own.
    static func length(_ count: Int) -> UInt64 { 1 << UInt64(min(count, 63)) }

    /// A member that must be there.
    public func required(_ name: StaticString) throws(SchemaError) -> JSONValue {
        guard let member = self[name] else { throw missing(name) }
        return member
    }

    /// The error of a member that is not there; it points at where the member would be.
    public func missing(_ name: StaticString) -> SchemaError {
        SchemaError(pointer: "\(value.pointer)/\(name)", detail: "is required")
    }
}
