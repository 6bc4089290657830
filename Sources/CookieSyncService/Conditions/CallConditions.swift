// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

/// On what conditions a call may write.
struct CallConditions: Sendable {
    /// At which revision the jar has to be (`If-Match`).
    let expected: ExpectedRevision?
    /// What makes the call take effect once (`Idempotency-Key`).
    let once: OnceCall?

    /// What the fields of a request say; nil when they say nothing.
    ///
    /// - Throws: `invalidRequest` for a field that cannot be understood.
    init?(_ request: HTTPRequest, _ route: Route, _ settings: ServiceSettings, at now: Timestamp)
        throws(Problem)
    {
        expected = try ExpectedRevision(ifMatchOf: request)
        once = try OnceCall(request, route, settings, at: now)
        if expected == nil, once == nil { return nil }
    }
}

extension ExpectedRevision {
    /// What `If-Match` says; nil without it.
    ///
    /// A tag that is well-formed and none of a jar's is one that no jar is at.
    init?(ifMatchOf request: HTTPRequest) throws(Problem) {
        guard request.field("If-Match") != nil else { return nil }
        var tags = EntityTagList()
        request.forEachField { name, value in
            if name.isNamed("if-match") { tags.add(value) }
        }
        guard tags.isWellFormed else {
            throw .invalid(
                "/header/If-Match", "must be the ETag of the jar, its revision in quotes, or *")
        }
        self = tags.isAny ? .any : .oneOf(tags.revisions)
    }
}

/// The value of `If-Match` (RFC 9110 sections 8.8.3 and 13.1.1).
private struct EntityTagList {
    private(set) var revisions: Set<Revision> = []
    private(set) var isAny = false
    private var count = 0
    private var isMalformed = false

    var isWellFormed: Bool { !isMalformed && count > 0 && (!isAny || count == 1) }

    /// Takes one field line: tags in quotes with commas between them, or `*`.
    mutating func add(_ line: UnsafeBufferPointer<UInt8>) {
        var rest = line[...]
        while true {
            rest = rest.drop { $0.isBlank || $0 == UInt8(ascii: ",") }
            guard let first = rest.first else { return }
            count += 1
            if first == UInt8(ascii: "*") {
                isAny = true
                rest = rest.dropFirst()
            } else {
                addTag(&rest)
            }
            rest = rest.drop(while: \.isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else {
                isMalformed = true; return
            }
        }
    }

    private mutating func addTag(_ rest: inout Slice<UnsafeBufferPointer<UInt8>>) {
        let isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.first == UInt8(ascii: "\"") else { isMalformed = true; return }
        rest = rest.dropFirst()
        guard let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { isMalformed = true; return }
        // A weak tag never matches here (section 8.8.3.2).
        if !isWeak, let number = DecimalDigits.parse(rest[..<end]) {
            revisions.insert(Revision(rawValue: number))
        }
        rest = rest[(end + 1)...]
    }
}
