// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

// How the errors of the other layers become problems. The one place that builds a problem's response is
// `HTTPResponse.problem`.

extension Problem {
    /// A body that could not be read.
    init(_ error: JSONError) {
        switch error {
        case .malformed(let offset, let expected):
            self.init(.malformedJSON, "Byte \(offset): expected \(expected).")
            self.offset = offset
        case .tooLarge(let offset, let what):
            self.init(.bodyTooLarge, "Byte \(offset): \(what) is over the limit.")
        }
    }

    /// A file that could not be read.
    init(_ error: CookieFileError) {
        switch error {
        case .notTheFormat(let detail, let offset):
            self.init(.unreadableFile, detail)
            self.offset = offset
        case .tooLarge(let offset, let what):
            self.init(JSONError.tooLarge(offset: offset, what: what))
        case .needsURL:
            self = .invalid("/query/url", "is required: it says who set the cookies")
        }
    }

    /// A body that breaks its schema.
    init(_ error: SchemaError) {
        self = .invalid(error.pointer, error.detail)
    }

    /// A use case that failed.
    init(_ error: ServiceError) {
        switch error {
        case .storage(let error): self.init(error)
        case .notFound(let what): self.init(.notFound, "There is no such \(what).")
        case .ambiguousAddress(let address):
            let text = String(decoding: address.bytes, as: UTF8.self)
            self.init(
                .ambiguousHost,
                "The address \(text) belongs to several hosts; say which by `origin_host`, or name the host in the URL."
            )
        case .tooMany(let what):
            self.init(.quotaExceeded, "The tenant has as many \(what) as it may have.")
        case .cursorGone:
            self.init(.cursorGone, "Read what is there now, and go on from the jar's revision.")
        case .cookiesRefused(let items):
            self.init(.cookiesRefused, "Change what `errors` points at.")
            errors = items
        }
    }

    private init(_ error: JarStorageError) {
        switch error {
        case .busy: self.init(.busy, "Too much is queued; try again shortly.")
        case .unavailable:
            self.init(.unavailable, "The storage cannot be reached; try again later.")
        case .full:
            self.init(.storageFull, "Nothing was written. Delete something, or make room.")
        case .corrupt:
            self.init(.storageCorrupt, "An operator has to restore this tenant's data.")
        case .integrity:
            self.init(.integrityFailure, "An operator has to restore this jar's data.")
        case .schemaTooNew:
            self.init(.storageSchemaTooNew, "An operator has to run the version that wrote it.")
        case .readOnly: self.init(.storageReadOnly, "Nothing was written; try again later.")
        case .inDoubt:
            self.init(.outcomeUnknown, "Read what is there before you repeat the write.")
        case .revisionConflict(let revision):
            self.init(.preconditionFailed, "Read the jar anew, and decide again.")
            self.revision = revision.rawValue
        case .keyReused:
            self.init(
                .keyReused,
                "Send the same request again, or another `Idempotency-Key` with this one.")
        case .notPermitted: self = .unauthenticated
        }
    }

    /// A fault of the protocol that the server found.
    init(_ fault: HTTPFault) {
        let kind: ProblemKind =
            switch fault {
            case .malformedRequestLine, .malformedTarget, .malformedField, .malformedHost,
                .repeatedField, .ambiguousLength, .malformedChunk, .malformedContent,
                .incompleteRequest:
                .malformedRequest
            case .headerTimeout, .bodyTimeout: .requestTimeout
            case .bodyTooLarge: .bodyTooLarge
            case .requestLineTooLong: .targetTooLong
            case .fieldsTooLarge: .headTooLarge
            case .unsupportedContentCoding: .unsupportedMediaType
            case .unknownExpectation: .expectationFailed
            case .unsupportedTransferCoding, .unsupportedMethod: .notImplemented
            case .unsupportedVersion: .versionNotSupported
            case .overloaded: .busy
            case .handlerTimeout: .unavailable
            case .handlerFailed: .internal
            }
        self.init(kind, "\(fault.detail)")
    }
}
