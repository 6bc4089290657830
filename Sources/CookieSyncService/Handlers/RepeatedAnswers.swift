// SPDX-License-Identifier: Apache-2.0

import Cookies
import HTTPServer
import JarStorage

// Answers of `cookie-header` that are given again while nothing has changed.
extension CookieSyncService {
    /// The answer to a request that was answered before and has the same answer now.
    func knownAnswer(to request: HTTPRequest, on loop: Int) -> KnownAnswer? {
        guard request.method == .get, !request.hasBody,
            let representation = Representation.preferred(by: request.field("Accept"))
        else { return nil }
        let form = KnownAnswer.Form(
            representation: representation, takesGzip: request.acceptsGzip)
        return answers.find(request.target, form, at: clock(), on: loop)
    }

    /// Gives an answer again to whoever may have it.
    func giveAgain(
        _ answer: KnownAnswer, _ request: HTTPRequest, _ id: RequestID,
        _ exchange: inout HTTPExchange
    ) {
        do throws(Problem) {
            _ = try letIn(
                request, answer.route, answer.path(in: request.target), isMalformed: false, id,
                isNew: true, &exchange.note)
        } catch {
            return exchange.send(problem(error, id))
        }
        id.withBytes { exchange.addField("X-Request-Id", $0) }
        guard !request.holds(answer.tag) else { return sendNotModified(answer.tag, &exchange) }
        exchange.addFields(answer.fields)
        exchange.body.append(contentsOf: answer.body)
        exchange.send(.ok)
    }

    /// Keeps an answer that was just written, if it is asked for again and again.
    func keep(
        _ written: Written, _ watch: SnapshotWatch?, _ form: KnownAnswer.Form, _ call: Call,
        _ exchange: borrowing HTTPExchange
    ) {
        let (target, loop) = (call.request.target, exchange.note.loop)
        guard let watch, !written.times.isEmpty, call.route.method == .get,
            answers.wants(target, bodyCount: exchange.body.count, on: loop)
        else { return }
        var fields = HTTPFields()
        written.tag.withBytes { _ = fields.append("ETag", $0) }
        fields.append(Self.fields(of: form.representation))
        // A copy as large as it has to be: the exchange's memory is used again.
        let body = exchange.body.withUnsafeBufferPointer { Array($0) }
        let answer = KnownAnswer(to: call, watch, written.times, form, body, written.tag, fields)
        if let answer { answers.keep(answer, to: target, on: loop) }
    }
}
