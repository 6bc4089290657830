// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `POST S/import`.
    func importCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        let named = try call.query.choice("format", of: CookieFormat.self)
        let file: (format: CookieFormat, entries: [FileEntry])
        do throws(CookieFileError) {
            file = try CookieFormat.read(Array(call.request.body), as: named)
        } catch {
            throw Problem(error)
        }
        let (format, positions) = (file.format, file.entries.map(\.position))
        ImportCookies(entries: file.entries).run(
            in: store, of: address, storage: storage, rules: rules, now: clock(),
            completion: completion(call, &exchange) { changed in
                ImportAnswerBody(
                    format: format.rawValue,
                    results: zip(positions, changed.answer).map(ImportResultBody.init))
            })
    }

    /// `GET S/export`.
    func exportCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        guard let format = try call.query.choice("format", of: CookieFormat.self) else {
            throw .invalid("/query/format", "is required")
        }
        let useCase = ExportCookies(format: format)
        let (store, id) = (try call.storeID(), call.id)
        try answer(call, &exchange) { [self] snapshot in
            let file = useCase.run(on: snapshot.state.stores[store], now: clock())
            return .success(.file(file, format.mediaType, id))
        }
    }
}

extension HTTPResponse {
    /// An exported file.
    fileprivate static func file(
        _ file: CookieFile, _ mediaType: StaticString, _ id: RequestID
    ) -> HTTPResponse {
        var response = HTTPResponse.empty(.ok, id)
        response.body = .bytes(file.bytes)
        response.fields.append("Content-Type", mediaType)
        let lost = file.lostAttributes.map(\.rawValue).joined(separator: ", ")
        if !lost.isEmpty { response.fields.append("X-Lost-Attributes", Array(lost.utf8)) }
        return response
    }
}

extension ImportResultBody {
    fileprivate init(_ position: FileEntry.Position, _ outcome: ImportCookies.Outcome) {
        let entry: Entry =
            switch position {
            case .line(let number): .line(number)
            case .pointer(let pointer): .pointer(pointer)
            }
        switch outcome {
        case .unreadable(let fault):
            self.init(
                entry: entry, outcome: Verdict.Outcome.rejected.rawValue, reason: fault.rawValue)
        case .judged(let outcome, let reason):
            self.init(entry: entry, outcome: outcome.rawValue, reason: reason?.rawValue)
        }
    }
}
