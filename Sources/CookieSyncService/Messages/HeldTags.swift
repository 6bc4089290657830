// SPDX-License-Identifier: Apache-2.0

import HTTPServer

/// The entity tags that a client holds, for an answer that comes after its request has gone.
struct HeldTags: Sendable {
    private var fields: [[UInt8]] = []

    init(of request: HTTPRequest) {
        guard request.field("If-None-Match") != nil else { return }
        request.forEachField { name, value in
            if name.isNamed("if-none-match") { fields.append(Array(value)) }
        }
    }

    func contains(_ tag: EntityTag) -> Bool { tag.withBytes(contains) }

    /// Whether a tag is among them, given as it stands in a field.
    func contains(_ tag: UnsafeBufferPointer<UInt8>) -> Bool {
        fields.contains { field in
            field.withUnsafeBufferPointer { EntityTag.isNamed(tag, in: $0) }
        }
    }
}
