// SPDX-License-Identifier: Apache-2.0

/// A JSON text that has been checked as a whole.
///
/// Its values are views into it; nothing is copied before it is asked for.
public final class JSONDocument: Sendable {
    let source: [UInt8]
    let nodes: [JSONNode]
    /// Where the first name stands that its object had already; nil when every object's names differ.
    public let duplicateName: Int?

    /// Checks a text.
    ///
    /// - Throws: `malformed` when it is not JSON, `tooLarge` when it passes a limit.
    /// - Complexity: O(n).
    public init(parsing text: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        source = text
        (nodes, duplicateName) = try text.withUnsafeBufferPointer { source throws(JSONError) in
            var parser = JSONParser(source, limits: limits)
            try parser.parse()
            return (parser.nodes, parser.duplicateName)
        }
    }

    /// The text's one value.
    public var root: JSONValue { JSONValue(document: self, index: 0) }

    /// The JSON pointer of a node: the way to it from the root, found when an error needs it.
    func pointer(to target: Int) -> String {
        var pointer: [UInt8] = []
        var index = 0
        while index < target {
            let isObject = nodes[index].kind == .object
            var child = index + 1
            var position = 0
            while true {
                let value = isObject ? child + 1 : child
                let next = Int(nodes[value].next)
                if target < next {
                    append(isObject ? child : nil, position, to: &pointer)
                    index = value
                    break
                }
                child = next
                position += 1
            }
        }
        return String(decoding: pointer, as: UTF8.self)
    }

    private func append(_ name: Int?, _ position: Int, to pointer: inout [UInt8]) {
        pointer.append(UInt8(ascii: "/"))
        guard let name else { return pointer.append(contentsOf: String(position).utf8) }
        for byte in JSONEscape.resolve(source, nodes[name]).prefix(256) {
            switch byte {
            case UInt8(ascii: "~"): pointer.append(contentsOf: "~0".utf8)
            case UInt8(ascii: "/"): pointer.append(contentsOf: "~1".utf8)
            default: pointer.append(byte)
            }
        }
    }
}
