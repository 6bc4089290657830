// SPDX-License-Identifier: Apache-2.0

import Cookies

/// A path of the API as openapi.yaml writes it, such as `/v1/tenants/{tenant}/jars`.
struct PathTemplate: Sendable {
    /// What a segment stands for.
    private enum Kind: Sendable {
        case literal
        case tenant
        case jar
        case store
        case host
        case rule
        case token
    }

    /// One segment of the template, where it lies in the text.
    private struct Segment: Sendable {
        var kind = Kind.literal
        var start = 0
        var end = 0
    }

    /// The template as it is written.
    let text: String
    /// How many segments it has.
    let count: Int
    private let bytes: [UInt8]
    private let segments: [Segment]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
        segments = bytes.dropFirst().split(separator: UInt8(ascii: "/")).map { piece in
            Segment(kind: Self.kind(of: piece), start: piece.startIndex, end: piece.endIndex)
        }
        count = segments.count
    }

    private static func kind(of piece: ArraySlice<UInt8>) -> Kind {
        switch String(decoding: piece, as: UTF8.self) {
        case "{tenant}": .tenant
        case "{jar}": .jar
        case "{store}": .store
        case "{host}": .host
        case "{rule}": .rule
        case "{token}": .token
        default: .literal
        }
    }

    /// What the parameters stand for in a path, or nil when the path is not of this form.
    ///
    /// Looks at the last segment first: that is where most templates of one length differ.
    func match(_ path: PathSegments) -> PathParameters? {
        guard path.count == count else { return nil }
        return segments.withUnsafeBufferPointer { segments in
            bytes.withUnsafeBufferPointer { bytes in
                Self.hasLiterals(bytes, segments, path) ? Self.parameters(segments, path) : nil
            }
        }
    }

    private static func hasLiterals(
        _ bytes: UnsafeBufferPointer<UInt8>, _ segments: UnsafeBufferPointer<Segment>,
        _ path: PathSegments
    ) -> Bool {
        var index = segments.count
        while index > 0 {
            index -= 1
            let segment = segments[index]
            guard segment.kind == .literal else { continue }
            let piece = path[index]
            guard piece.count == segment.end - segment.start,
                piece.isSame(as: bytes.slice(segment.start..<segment.end))
            else { return false }
        }
        return true
    }

    private static func parameters(
        _ segments: UnsafeBufferPointer<Segment>, _ path: PathSegments
    ) -> PathParameters {
        var parameters = PathParameters()
        for index in segments.indices {
            switch segments[index].kind {
            case .literal: break
            case .tenant: parameters.tenant = path[index]
            case .jar: parameters.jar = path[index]
            case .store: parameters.store = path[index]
            case .host: parameters.host = path[index]
            case .rule: parameters.rule = path[index]
            case .token: parameters.token = path[index]
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
    var token = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
}
