// SPDX-License-Identifier: Apache-2.0

/// The media types of request bodies.
enum MediaType: Sendable {
    case json
    case message

    /// What a `Content-Type` names; nil when it is neither, or JSON in another charset than UTF-8.
    init?(_ field: UnsafeBufferPointer<UInt8>) {
        let semicolon = field.firstIndex(of: UInt8(ascii: ";")) ?? field.count
        let type = field.slice(0..<semicolon).trimmed
        if type.isNamed("message/http") {
            self = .message
        } else if type.isNamed("application/json"),
            Self.isUTF8(field.slice(semicolon..<field.count))
        {
            self = .json
        } else {
            return nil
        }
    }

    private static func isUTF8(_ parameters: UnsafeBufferPointer<UInt8>) -> Bool {
        var isUTF8 = true
        parameters.forEachPiece(separatedBy: UInt8(ascii: ";")) { piece in
            let parameter = piece.trimmed
            guard parameter.count > 8, parameter.slice(0..<8).isNamed("charset=") else { return }
            let charset = parameter.slice(8..<parameter.count)
            if !charset.isNamed("utf-8"), !charset.isNamed("\"utf-8\"") { isUTF8 = false }
        }
        return isUTF8
    }
}

/// Which of two representations an `Accept` field asks for (RFC 9110 section 12.5.1).
enum Representation: UInt8, Sendable {
    case json = 1
    case text = 2

    /// The better one; JSON where they are equally good, nil where neither is acceptable.
    static func preferred(by accept: UnsafeBufferPointer<UInt8>?) -> Representation? {
        guard let accept, !accept.isEmpty else { return .json }
        var json = Quality()
        var text = Quality()
        forEachRange(in: accept) { range, weight in
            if range.isNamed("application/json") {
                json.take(weight, precision: 3)
            } else if range.isNamed("text/plain") {
                text.take(weight, precision: 3)
            } else if range.isNamed("application/*") {
                json.take(weight, precision: 2)
            } else if range.isNamed("text/*") {
                text.take(weight, precision: 2)
            } else if range.equals("*/*") {
                json.take(weight, precision: 1)
                text.take(weight, precision: 1)
            }
        }
        if text.weight > json.weight { return .text }
        return json.weight > 0 ? .json : nil
    }

    /// Whether a stream of events is wanted rather than JSON, which it is by name only.
    static func prefersEvents(_ accept: UnsafeBufferPointer<UInt8>?) -> Bool {
        guard let accept else { return false }
        var json = Quality()
        var events = Quality()
        forEachRange(in: accept) { range, weight in
            if range.isNamed("text/event-stream") {
                events.take(weight, precision: 3)
            } else if range.isNamed("application/json") {
                json.take(weight, precision: 3)
            } else if range.isNamed("application/*") {
                json.take(weight, precision: 2)
            } else if range.equals("*/*") {
                json.take(weight, precision: 1)
            }
        }
        return events.weight > 0 && events.weight >= json.weight
    }

    /// How welcome a media type is: the most precise range that covers it says so.
    private struct Quality {
        var weight = 0
        private var precision = 0

        mutating func take(_ weight: Int, precision: Int) {
            guard precision >= self.precision else { return }
            self.weight = precision > self.precision ? weight : max(weight, self.weight)
            self.precision = precision
        }
    }

    /// Visits the media ranges of an `Accept` field with their weights.
    private static func forEachRange(
        in accept: UnsafeBufferPointer<UInt8>,
        _ body: (_ range: UnsafeBufferPointer<UInt8>, _ weight: Int) -> Void
    ) {
        accept.forEachPiece(separatedBy: UInt8(ascii: ",")) { element in
            let semicolon = element.firstIndex(of: UInt8(ascii: ";")) ?? element.count
            let range = element.slice(0..<semicolon).trimmed
            let weight = weight(in: element.slice(semicolon..<element.count))
            body(range, weight)
        }
    }

    /// The `q` parameter in thousandths; 1000 without one, 0 where it is malformed.
    private static func weight(in parameters: UnsafeBufferPointer<UInt8>) -> Int {
        var weight = 1000
        parameters.forEachPiece(separatedBy: UInt8(ascii: ";")) { piece in
            let parameter = piece.trimmed
            guard parameter.count >= 2, parameter.slice(0..<2).isNamed("q=") else { return }
            weight = thousandths(parameter.slice(2..<parameter.count))
        }
        return weight
    }

    private static func thousandths(_ text: UnsafeBufferPointer<UInt8>) -> Int {
        guard let first = text.first, first.isDigit, first <= UInt8(ascii: "1"), text.count <= 5,
            text.count == 1 || text[1] == UInt8(ascii: ".")
        else { return 0 }
        var value = Int(first - UInt8(ascii: "0")) * 1000
        var unit = 100
        for byte in text.dropFirst(2) {
            guard byte.isDigit else { return 0 }
            value += Int(byte - UInt8(ascii: "0")) * unit
            unit /= 10
        }
        return min(value, 1000)
    }
}
