// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPServer
import JarStorage
import Testing

@testable import CookieSyncService

@Suite("openapi.yaml and the route table")
struct RouteContractTests {
    let specification: Specification

    init() throws {
        specification = try Specification()
    }

    @Test("list the same operations, each at the same method and path")
    func operations() {
        let specified = specification.operations.map { "\($0.id) \($0.method) \($0.path)" }
        let routed = RouteTable.api.routes.map {
            "\($0.operation) \($0.method.name) \($0.path.text)"
        }
        #expect(specified.sorted() == routed.sorted())
        #expect(Set(specified).count == specified.count)
    }

    @Test("give each operation the same parameters, body, statuses and access")
    func details() throws {
        for operation in specification.operations {
            let route = try #require(
                RouteTable.api.routes.first { $0.operation == operation.id }, "\(operation.id)")
            #expect(
                operation.parameters["query", default: []].sorted()
                    == route.query.map { "\($0)" }.sorted(), "\(operation.id)")
            let path = route.path.text.split(separator: "/").filter { $0.hasPrefix("{") }
            #expect(
                operation.parameters["path", default: []]
                    == path.map { $0.dropFirst().dropLast() }
                    .map(String.init), "\(operation.id)")
            #expect(operation.statuses.sorted() == route.statuses.sorted(), "\(operation.id)")
            #expect(operation.hasDefault, "\(operation.id)")
            #expect(operation.security == security(route.access), "\(operation.id)")
            let content: [String] =
                switch route.content {
                case .none: []
                case .json, .optionalJSON: ["application/json"]
                case .file: ["*/*"]
                case .jsonOrMessage: ["application/json", "message/http"]
                }
            #expect(operation.content == content, "\(operation.id)")
        }
    }

    /// How openapi.yaml writes who may call.
    private func security(_ access: Route.Access) -> [String] {
        func token(_ scopes: TokenScopes) -> String {
            let names = scopes.names.map { "\"\($0)\"" }.joined(separator: ", ")
            return "tenantToken: [\(names)]"
        }
        return switch access {
        case .data(let scopes), .wholeJar(let scopes): ["", token(scopes)]
        case .management, .wholeTenant: ["", "adminToken: []", token(.admin)]
        case .metrics: ["", "adminToken: []", token(.metrics)]
        case .operations: ["", "adminToken: []"]
        case .anyone, .probe: []
        }
    }

    @Test("the binary carries openapi.yaml byte for byte; if not, run scripts/embed-openapi")
    func embedding() {
        let carried = OpenAPIDocument.text.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        #expect(carried == specification.text)
    }

    @Test("every reference leads somewhere")
    func references() {
        func check(_ outline: Outline) {
            if let reference = outline["$ref"]?.text {
                #expect(
                    specification.document.at(String(reference.dropFirst(2))) != nil, "\(reference)"
                )
            }
            outline.entries.map(\.value).forEach(check)
            outline.elements.forEach(check)
        }
        check(specification.document)
    }
}

@Suite("openapi.yaml, docs/problems.md and the problems of the code")
struct ProblemContractTests {
    @Test("list the same types, with the same statuses")
    func types() throws {
        let specification = try Specification()
        let types = specification.document.at("components/schemas/Problem/properties/type/enum")
        let listed = ProblemKind.allCases.map { "\"\($0.type)\"" }.joined(separator: ", ")
        #expect(types == .flow("[\(listed)]"))

        let documentation = try String(
            contentsOf: Specification.root.appendingPathComponent("docs/problems.md"),
            encoding: .utf8)
        let rows = documentation.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == ProblemKind.allCases.count)
        for kind in ProblemKind.allCases {
            #expect(
                rows.contains { $0.hasPrefix("| `\(kind.rawValue)` | \(kind.status) |") },
                "\(kind.rawValue)")
        }
    }
}
