// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Testing

@Suite("The examples of openapi.yaml")
struct ExampleContractTests {
    let specification: Specification

    init() throws {
        specification = try Specification()
    }

    private static let bodies: [String: any RequestBody.Type] = [
        "ingestResponse": IngestBody.self, "getCookieHeaders": CookieHeadersBody.self,
        "putCookies": PutCookiesBody.self, "rewriteDomain": RewriteDomainBody.self,
        "syncStores": SyncBody.self, "exchangeResponses": ExchangeBody.self,
        "backUp": BackupBody.self, "putStore": StoreSettingsBody.self,
        "promoteSession": PromoteBody.self, "putHost": HostRequestBody.self,
        "putSyncRule": SyncRuleRequestBody.self, "putTenant": TenantSettingsBody.self,
        "createToken": TokenRequestBody.self, "rotateToken": RotateBody.self,
    ]

    private func decode<Body: RequestBody>(_ type: Body.Type, _ text: String) throws {
        _ = try type.init(parsing: Array(text.utf8))
    }

    @Test("of JSON bodies decode as the types of the wire, and there is one for each operation")
    func requests() throws {
        for operation in specification.operations
        where operation.content.contains("application/json") {
            let type = try #require(Self.bodies[operation.id], "\(operation.id)")
            let media = operation.outline.at("requestBody/content")?["application/json"]
            let examples = media?["examples"]?.entries ?? []
            #expect(!examples.isEmpty, "\(operation.id)")
            for example in examples {
                guard case .flow(let text)? = example.value["value"] else {
                    Issue.record("\(operation.id) \(example.key) is not JSON on one line")
                    continue
                }
                #expect(throws: Never.self, "\(operation.id) \(example.key)") {
                    try decode(type, text)
                }
            }
        }
    }

    @Test("of answers have the members that their schemas require, and no others")
    func answers() throws {
        var count = 0
        for operation in specification.operations {
            for response in operation.outline["responses"]?.entries ?? [] {
                let media = specification.resolved(response.value)["content"]?.entries ?? []
                for (type, example) in media.flatMap({ type in
                    (type.value["examples"]?.entries ?? []).map { (type, $0) }
                }) {
                    guard case .flow(let text)? = example.value["value"],
                        let schema = type.value["schema"].map(specification.resolved)
                    else { continue }
                    let members = try JSONDocument(parsing: Array(text.utf8)).root.members()
                        .map { String(decoding: $0.name, as: UTF8.self) }
                    let known = schema["properties"]?.entries.map(\.key) ?? []
                    #expect(Set(members).isSubset(of: known), "\(operation.id) \(example.key)")
                    for name in required(by: schema) {
                        #expect(members.contains(name), "\(operation.id) \(example.key) \(name)")
                    }
                    count += 1
                }
            }
        }
        #expect(count > 10)
    }

    private func required(by schema: Outline) -> [String] {
        guard case .flow(let text)? = schema["required"],
            let names = try? JSONDocument(parsing: Array(text.utf8)).root.elements()
        else { return [] }
        return names.compactMap { try? $0.string() }.map { String(decoding: $0, as: UTF8.self) }
    }
}
