// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A path of the API as openapi.yaml writes it, such as `/v1/tenants/{tenant}/jars`.
struct PathTemplate: Sendable {
    /// One piece of the template.
    enum Segment: Sendable {
        case literal([UInt8])
        case tenant
        case jar
        case store
        case host
        case rule
    }

    /// The template as it is written.
    let text: String
    /// Its pieces.
    let segments: [Segment]

    init(_ text: String) {
        self.text = text
        segments = text.utf8.dropFirst().split(separator: UInt8(ascii: "/")).map { piece in
            switch String(Substring(piece)) {
            case "{tenant}": .tenant
            case "{jar}": .jar
            case "{store}": .store
            case "{host}": .host
            case "{rule}": .rule
            case let literal: .literal(Array(literal.utf8))
            }
        }
    }

    /// What the parameters stand for in a path, or nil when the path is not of this form.
    ///
    /// Looks at the last segment first: that is where most templates of one length differ.
    func match(_ path: borrowing PathSegments) -> PathParameters? {
        guard path.count == segments.count else { return nil }
        var parameters = PathParameters()
        for index in segments.indices.reversed() {
            let piece = path[index]
            switch segments[index] {
            case .literal(let literal):
                guard piece.isSame(as: literal) else { return nil }
            case .tenant: parameters.tenant = piece
            case .jar: parameters.jar = piece
            case .store: parameters.store = piece
            case .host: parameters.host = piece
            case .rule: parameters.rule = piece
            }
        }
        return parameters
    }
}

/// What the parameters of a path stand for: raw bytes, not yet held to any rule.
struct PathParameters {
    var tenant = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var jar = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var store = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var host = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    var rule = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
}
