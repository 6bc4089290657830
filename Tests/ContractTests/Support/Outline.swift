// SPDX-License-Identifier: Apache-2.0

/// A reader for as much of YAML as openapi.yaml keeps to: block mappings and lists by indentation, plain and
/// double-quoted scalars, folded text (`>-`), and flow style only where it is JSON on one line.
///
/// Anything else is an error that names the line, so that the file stays within these bounds.
indirect enum Outline: Equatable {
    case scalar(String)
    /// A flow value, as JSON text.
    case flow(String)
    case list([Outline])
    case mapping([Entry])

    struct Entry: Equatable {
        let key: String
        let value: Outline
    }

    struct Unreadable: Error {
        let line: Int
    }

    /// Reads a document.
    init(_ text: String) throws {
        var reader = OutlineReader(text)
        self = try reader.block(indent: 0)
    }

    /// The value of a key; nil when this is no mapping or does not have it.
    subscript(key: String) -> Outline? {
        guard case .mapping(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// The entries of a mapping, or none.
    var entries: [Entry] {
        if case .mapping(let entries) = self { entries } else { [] }
    }

    /// The elements of a list, or none.
    var elements: [Outline] {
        if case .list(let elements) = self { elements } else { [] }
    }

    /// The text of a scalar.
    var text: String? {
        if case .scalar(let text) = self { text } else { nil }
    }

    /// The value at a path such as `components/parameters/Jar`.
    func at(_ path: String) -> Outline? {
        path.split(separator: "/").reduce(self as Outline?) { $0?[String($1)] }
    }
}

private struct OutlineReader {
    private struct Line {
        let number: Int
        let indent: Int
        let text: Substring
    }

    private var lines: [Line] = []
    private var position = 0

    init(_ text: String) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            let content = line.drop { $0 == " " }
            guard !content.isEmpty, content.first != "#" else { continue }
            lines.append(
                Line(number: index + 1, indent: line.count - content.count, text: content))
        }
    }

    mutating func block(indent: Int) throws -> Outline {
        guard position < lines.count else { return .scalar("") }
        if lines[position].text.hasPrefix("- ") { return try list(indent: indent) }
        return try mapping(indent: indent)
    }

    private mutating func list(indent: Int) throws -> Outline {
        var elements: [Outline] = []
        while position < lines.count, lines[position].indent == indent,
            lines[position].text.hasPrefix("- ")
        {
            let line = lines[position]
            let rest = line.text.dropFirst(2)
            if Self.splitKey(rest) != nil {
                // The element is a mapping whose first entry stands behind the dash.
                lines[position] = Line(number: line.number, indent: indent + 2, text: rest)
                elements.append(try mapping(indent: indent + 2))
            } else {
                position += 1
                elements.append(try inline(rest, line.number))
            }
        }
        return .list(elements)
    }

    private mutating func mapping(indent: Int) throws -> Outline {
        var entries: [Outline.Entry] = []
        while position < lines.count, lines[position].indent == indent {
            let line = lines[position]
            guard let (key, rest) = Self.splitKey(line.text) else {
                throw Outline.Unreadable(line: line.number)
            }
            position += 1
            entries.append(Outline.Entry(key: key, value: try value(rest, line, indent)))
        }
        if position < lines.count, lines[position].indent > indent {
            throw Outline.Unreadable(line: lines[position].number)
        }
        return .mapping(entries)
    }

    private mutating func value(_ rest: Substring, _ line: Line, _ indent: Int) throws -> Outline {
        if rest == ">-" { return .scalar(folded(indent: indent)) }
        guard rest.isEmpty else { return try inline(rest, line.number) }
        guard position < lines.count, lines[position].indent > indent else {
            throw Outline.Unreadable(line: line.number)
        }
        return try block(indent: lines[position].indent)
    }

    private mutating func folded(indent: Int) -> String {
        var words: [Substring] = []
        while position < lines.count, lines[position].indent > indent {
            words.append(lines[position].text)
            position += 1
        }
        return words.joined(separator: " ")
    }

    private func inline(_ text: Substring, _ number: Int) throws -> Outline {
        switch text.first {
        case "[", "{":
            return .flow(String(text))
        case "\"":
            guard text.count >= 2, text.last == "\"" else { throw Outline.Unreadable(line: number) }
            return .scalar(Self.unquoted(text))
        case "'", "&", "*", "|", ">", "!", "%", "@":
            throw Outline.Unreadable(line: number)
        default:
            return .scalar(String(text))
        }
    }

    /// Cuts `key: value` or `key:`; nil when the text is neither.
    private static func splitKey(_ text: Substring) -> (key: String, rest: Substring)? {
        guard text.first != "{", text.first != "[" else { return nil }
        var end = text.startIndex
        if text.first == "\"" {
            guard let quote = text.dropFirst().firstIndex(of: "\"") else { return nil }
            end = text.index(after: quote)
            guard end < text.endIndex, text[end] == ":" else { return nil }
        } else {
            guard let colon = text.firstIndex(of: ":") else { return nil }
            end = colon
        }
        let rest = text[text.index(after: end)...]
        guard rest.isEmpty || rest.first == " " else { return nil }
        let key = text[..<end]
        return (key.first == "\"" ? unquoted(key) : String(key), rest.drop { $0 == " " })
    }

    private static func unquoted(_ text: Substring) -> String {
        String(text.dropFirst().dropLast()).replacing("\\r", with: "\r").replacing(
            "\\n", with: "\n"
        )
        .replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
    }
}
