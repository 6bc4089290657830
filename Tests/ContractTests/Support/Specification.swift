// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What openapi.yaml says, as far as the tests compare it with the code.
struct Specification {
    /// One operation.
    struct Operation {
        let id: String
        let method: String
        let path: String
        /// The parameters by where they are: `path`, `query` or `header`.
        let parameters: [String: [String]]
        /// The statuses, without `default`.
        let statuses: [UInt16]
        let hasDefault: Bool
        /// The media types of the body.
        let content: [String]
        /// Who may call: a line for each alternative, such as `tenantToken: ["read"]`; none for everyone.
        let security: [String]
        let outline: Outline
    }

    /// The repository's root.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The whole document.
    let document: Outline
    /// Its bytes.
    let text: String

    init() throws {
        text = try String(
            contentsOf: Self.root.appendingPathComponent("openapi.yaml"), encoding: .utf8)
        document = try Outline(text)
    }

    var operations: [Operation] {
        (document["paths"]?.entries ?? []).flatMap { path in
            path.value.entries.filter { $0.key != "parameters" }.map { method in
                operation(path, method)
            }
        }
    }

    /// Follows references to their ends.
    func resolved(_ outline: Outline) -> Outline {
        guard let reference = outline["$ref"]?.text else { return outline }
        return document.at(String(reference.dropFirst(2))).map(resolved) ?? outline
    }

    private func operation(_ path: Outline.Entry, _ method: Outline.Entry) -> Operation {
        let own = method.value["parameters"]?.elements ?? []
        let shared = path.value["parameters"]?.elements ?? []
        var parameters: [String: [String]] = [:]
        for parameter in (shared + own).map(resolved) {
            parameters[parameter["in"]?.text ?? "", default: []].append(
                parameter["name"]?.text ?? "")
        }
        let codes = method.value["responses"]?.entries.map(\.key) ?? []
        return Operation(
            id: method.value["operationId"]?.text ?? "", method: method.key.uppercased(),
            path: path.key, parameters: parameters, statuses: codes.compactMap { UInt16($0) },
            hasDefault: codes.contains("default"),
            content: method.value.at("requestBody/content")?.entries.map(\.key) ?? [],
            security: alternatives(method.value["security"]), outline: method.value)
    }

    private func alternatives(_ security: Outline?) -> [String] {
        guard let security else { return ["not said"] }
        return security.elements.map { alternative in
            alternative.entries.map { "\($0.key): \(written($0.value))" }.joined(separator: ", ")
        }
    }

    private func written(_ outline: Outline) -> String {
        if case .flow(let text) = outline { text } else { "\(outline)" }
    }
}
