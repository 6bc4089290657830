// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Locks

extension CookieSyncService {
    /// Decides about the file of `POST S/import`: it is read as it comes.
    func admitImport(_ call: Call) throws(Problem) -> HTTPAdmission {
        let (_, _) = (try call.jarAddress(), try call.storeID())
        let reading = try importReading(call)
        guard imports.enter() else {
            throw Problem(.busy, "Too many files are being read; try again shortly.")
        }
        let id = call.id
        let takesEffectOnce = call.request.field("Idempotency-Key") != nil
        let upload = ImportUpload(
            reading, on: imports, digest: takesEffectOnce ? ContentDigest() : nil
        ) { [self] error in
            problem(Problem(error), id)
        }
        return .streamBody(limit: settings.maximumImportBytes, to: upload)
    }

    /// `POST S/import`, when all of the file has come.
    func importCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        // An answer that is to be kept has to be there as a whole.
        let isKept = call.conditions?.once != nil
        let target = ImportTarget(
            storage: writing(call), address: try call.jarAddress(), store: try call.storeID(),
            id: call.id, form: call.takesLines && !isKept ? .lines : .json, isKept: isKept,
            saysOutcome: call.conditions != nil || audits(call.route))
        guard let upload = call.request.bodySink as? ImportUpload else {
            // Without content there is no file, and nothing to wait for.
            var reading = try importReading(call)
            do throws(CookieFileError) {
                _ = try reading.finish()
            } catch {
                throw Problem(error)
            }
            throw Problem(.unreadableFile, "The file is empty.")
        }
        let responder = later(call, &exchange, within: Self.importSeconds)
        upload.finish { [self] result in
            switch result {
            case .failure(let error): responder.send(problem(Problem(error), target.id))
            case .success(let prepared): store(prepared, target, responder)
            }
        }
    }

    /// How long the end of a file may take: the last pieces, and those of the files before it.
    private static let importSeconds = 120

    /// Where a file goes, and how its answer is written.
    private struct ImportTarget: Sendable {
        let storage: any JarStorage
        let address: JarAddress
        let store: StoreID
        let id: RequestID
        let form: ImportAnswer.Form
        let isKept: Bool
        /// Whether the status, which the audit log has too, has to say what came of it, and so waits for that.
        let saysOutcome: Bool
    }

    private func store(
        _ prepared: PreparedImport, _ target: ImportTarget, _ responder: Reply
    ) {
        guard target.form == .json else { return storeByLines(prepared, target, responder) }
        prepared.store(
            in: target.store, of: target.address, storage: target.storage, rules: rules,
            now: clock()
        ) { [self] result in
            switch result {
            case .success(let changed):
                let answer = ImportAnswer(prepared, changed.answer, as: .json)
                responder.send(.json(answer, target.id, isWhole: target.isKept))
            case .failure(let error): responder.send(problem(Problem(error), target.id))
            }
        }
    }

    private func storeByLines(
        _ prepared: PreparedImport, _ target: ImportTarget, _ responder: Reply
    ) {
        var progress: [UInt8] = []
        progress.appendLine(
            "progress",
            ImportProgressBody(
                entries: prepared.outcomes.count, cookies: prepared.survivors.count))
        let body = PiecewiseBody(prelude: progress, nil)
        if !target.saysOutcome { responder.send(.lines(body, target.id)) }
        prepared.store(
            in: target.store, of: target.address, storage: target.storage, rules: rules,
            now: clock()
        ) { [self] result in
            switch result {
            case .success(let changed):
                body.resume(ImportAnswer(prepared, changed.answer, as: .lines).pieces)
                if target.saysOutcome { responder.send(.lines(body, target.id)) }
            case .failure(let error):
                let response = problem(Problem(error), target.id)
                guard !target.saysOutcome else { return responder.send(response) }
                body.resume { bytes, _ in
                    bytes += response.problemLine
                    return false
                }
            }
        }
    }

    private func importReading(_ call: Call) throws(Problem) -> ImportReading {
        let format = try call.query.choice("format", of: CookieFormat.self)
        var context = ReadingContext(now: clock())
        context.url = try call.query.bytes("url")
        if let url = context.url { _ = try reading.url(url, at: "/query/url") }
        context.takesPartial = try call.query.bool("partial") ?? false
        if let uuid = call.request.field("X-CookieCloud-UUID"),
            let password = call.request.field("X-CookieCloud-Password"),
            let cipher = CookieCloudCipher(uuid: Array(uuid), password: Array(password))
        {
            context.decrypt = { cipher.open($0) }
        }
        return ImportReading(as: format, context, rules: rules)
    }
}

extension Call {
    /// Whether the answer is wanted as lines of JSON.
    fileprivate var takesLines: Bool {
        guard let accept = request.field("Accept") else { return false }
        var isFound = false
        accept.forEachPiece(separatedBy: UInt8(ascii: ",")) { element in
            let end = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            if element.slice(0..<end).trimmed.isNamed("application/x-ndjson") { isFound = true }
        }
        return isFound
    }
}

extension ImportAnswer {
    /// What writes it, piece by piece.
    fileprivate var pieces: PiecewiseBody.Write {
        let answer = Locked(self)
        return { bytes, room in answer.withLock { $0.write(into: &bytes, room: room) } }
    }
}

extension HTTPResponse {
    /// From so many results on, an answer is written while the client reads it.
    private static let longResults = 2000

    fileprivate static func json(
        _ answer: ImportAnswer, _ id: RequestID, isWhole: Bool
    ) -> HTTPResponse {
        var answer = answer
        var response = HTTPResponse.empty(.ok, id)
        response.fields.append("Content-Type", "application/json")
        if isWhole || answer.count < longResults {
            var bytes: [UInt8] = []
            _ = answer.write(into: &bytes)
            response.body = .bytes(bytes)
        } else {
            response.body = .stream(PiecewiseBody(answer.pieces))
        }
        return response
    }

    fileprivate static func lines(_ body: PiecewiseBody, _ id: RequestID) -> HTTPResponse {
        var response = HTTPResponse.empty(.ok, id)
        response.fields.append("Content-Type", "application/x-ndjson")
        response.body = .stream(body)
        return response
    }

    /// A problem that became known too late for a status, as a line.
    fileprivate var problemLine: [UInt8] {
        guard case .bytes(let bytes) = body else { return [] }
        return Array(#"{"problem":"#.utf8) + bytes + Array("}\n".utf8)
    }
}
