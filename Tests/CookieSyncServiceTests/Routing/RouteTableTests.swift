// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Testing

@testable import CookieSyncService

@Suite("Routing on bytes")
struct RouteTableTests {
    private func segments(_ path: String) -> [String] {
        Array(path.utf8).withUnsafeBufferPointer { path in
            let segments = PathSegments(path)
            defer { segments.deallocate() }
            return (0..<segments.count).map { String(decoding: segments[$0], as: UTF8.self) }
        }
    }

    @Test(
        "a path is split first and decoded then, each segment once",
        arguments: [
            ("/", [""]), ("/a", ["a"]), ("/a/", ["a", ""]), ("//a", ["", "a"]), ("*", ["*"]),
            ("/a%2Fb/c", ["a/b", "c"]), ("/%2561/b%40", ["%61", "b@"]), ("/%2f/", ["/", ""]),
            ("/1/2/3/4/5/6/7/8/9/10", ["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
            ("/%31/2/3/4/5/6/7/8/9/10", ["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
        ])
    func splits(_ path: String, expected: [String]) {
        #expect(segments(path) == expected)
    }

    @Test("no two routes answer one method and path, and none has more segments than are read")
    func unambiguous() {
        let routes = RouteTable.api.routes
        let keys = routes.map { "\($0.method.name) \($0.path.text)" }
        #expect(Set(keys).count == routes.count)
        #expect(Set(routes.map(\.operation)).count == routes.count)
        #expect(routes.allSatisfy { $0.path.count < PathSegments.maximum })
        #expect(routes.allSatisfy { $0.query.count <= QueryParameters.maximum })
    }

    @Test("each route is found by its own template")
    func finds() {
        for route in RouteTable.api.routes {
            let path = route.path.text.replacing("{tenant}", with: "t").replacing(
                "{jar}", with: "j"
            )
            .replacing("{store}", with: "s")
            let found = Array(path.utf8).withUnsafeBufferPointer { path in
                let segments = PathSegments(path)
                defer { segments.deallocate() }
                if case .route(let found, _) = RouteTable.api.match(route.method, segments) {
                    return found.operation
                }
                return ""
            }
            #expect(found == route.operation)
        }
    }
}
