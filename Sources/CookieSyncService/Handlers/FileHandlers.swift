// SPDX-License-Identifier: Apache-2.0

import CookieFormats
import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Locks

extension CookieSyncService {
    /// `GET S/export`.
    func exportCookies(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        guard let format = try call.query.choice("format", of: CookieFormat.self) else {
            throw .invalid("/query/format", "is required")
        }
        guard format.isWritable else {
            throw .invalid("/query/format", "is a format that is only read")
        }
        let isReport = try call.query.choice("report", of: ReportForm.self) != nil
        let context = try writingContext(call, format)
        let useCase = ExportCookies(format: format, context: context)
        let (store, id) = (try call.storeID(), call.id)
        try answer(call, &exchange) { [self] snapshot in
            guard let file = useCase.run(on: snapshot.state.stores[store], now: clock()) else {
                return .success(.problem(.invalid("/query/format", "is only read"), id))
            }
            guard !isReport else { return .success(.json(ExportReportBody(file, format), id)) }
            return .success(.file(file, id))
        }
    }

    private func writingContext(
        _ call: Call, _ format: CookieFormat
    ) throws(Problem) -> WritingContext {
        var context = WritingContext()
        if let text = try call.query.bytes("url") {
            let url = try reading.url(text, at: "/query/url")
            context.url = url
            context.isSecure = rules.isSecure(url)
            context.partitionKey = PartitionKey.site(of: url, rules: rules)
        } else if format == .setCookie {
            throw .invalid("/query/url", "is required: it says whose response the lines are of")
        }
        if call.takesPropertyLists { context.propertyForm = .propertyList }
        return context
    }
}

/// In what form it is said what a file does not hold, if not the file itself is asked for.
private enum ReportForm: String, CaseIterable {
    case json
}

extension Call {
    /// Whether property dictionaries are wanted as a property list.
    fileprivate var takesPropertyLists: Bool {
        guard let accept = request.field("Accept") else { return false }
        var isFound = false
        accept.forEachPiece(separatedBy: UInt8(ascii: ",")) { element in
            let end = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let type = element.slice(0..<end).trimmed
            if type.isNamed("application/x-plist") || type.isNamed("application/xml") {
                isFound = true
            }
        }
        return isFound
    }
}

extension HTTPResponse {
    /// A file of more octets than this is written while the client reads it.
    private static let longFile = 64 << 10

    /// An exported file.
    fileprivate static func file(_ file: CookieFileWriter, _ id: RequestID) -> HTTPResponse {
        var response = HTTPResponse.empty(.ok, id)
        response.fields.append("Content-Type", file.mediaType)
        let lost = file.lost.names.joined(separator: ", ")
        if !lost.isEmpty { response.fields.append("X-Lost-Attributes", Array(lost.utf8)) }
        guard file.approximateBytes > longFile else {
            var (file, bytes): (CookieFileWriter, [UInt8]) = (file, [])
            _ = file.write(into: &bytes)
            response.body = .bytes(bytes)
            return response
        }
        let state = Locked(file)
        response.body = .stream(
            PiecewiseBody { bytes, room in
                state.withLock { $0.write(into: &bytes, room: room) }
            })
        return response
    }
}

extension ExportReportBody {
    fileprivate init(_ file: CookieFileWriter, _ format: CookieFormat) {
        self.init(
            format: format.rawValue, written: file.count, lost: file.lost.names,
            results: file.losses.map { loss in
                ExportResultBody(
                    identity: CookieIdentityBody(loss.identity),
                    isWritten: !loss.attributes.isWhole, lost: loss.attributes.names)
            })
    }
}
