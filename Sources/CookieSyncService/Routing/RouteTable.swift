// SPDX-License-Identifier: Apache-2.0

import HTTPServer
import Synchronization

/// Every operation of the API, once.
///
/// Routing, 404, 405 with its `Allow`, OPTIONS, the check of query parameters and media types, and
/// the contract test with openapi.yaml all follow from this table.
struct RouteTable: Sendable {
    /// What a path and a method lead to.
    enum Match {
        case route(Route, PathParameters)
        /// The path is known, the method is not one of these; and whether anyone may use them.
        case otherMethods(String, isOpen: Bool)
        case nothing
    }

    /// The operations.
    let routes: [Route]
    private let bySegmentCount: [[Route]]

    init(_ routes: [Route]) {
        self.routes = routes
        for (index, route) in routes.enumerated() {
            route.number.store(index + 1, ordering: .relaxed)
        }
        bySegmentCount = (0...PathSegments.maximum).map { count in
            routes.filter { $0.path.count == count }
        }
    }

    /// Finds the operation.
    ///
    /// HEAD is answered like GET.
    ///
    /// - Complexity: O(n) in the routes with as many segments; no heap allocation when there is a match.
    func match(_ method: HTTPMethod, _ path: PathSegments) -> Match {
        let method = method == .head ? .get : method
        var methods: [HTTPMethod] = []
        var isOpen = true
        let count = bySegmentCount[path.count].count
        for index in 0..<count {
            guard let parameters = bySegmentCount[path.count][index].path.match(path) else {
                continue
            }
            let route = bySegmentCount[path.count][index]
            if route.method == method { return .route(route, parameters) }
            methods.append(route.method)
            isOpen = isOpen && (route.access == .anyone || route.access == .probe)
        }
        return methods.isEmpty ? .nothing : .otherMethods(Self.allow(methods), isOpen: isOpen)
    }

    /// Every method that some path allows, for `OPTIONS *`.
    var allMethods: String {
        Self.allow(HTTPMethod.allCases.filter { method in routes.contains { $0.method == method } })
    }

    private static func allow(_ methods: [HTTPMethod]) -> String {
        let withHead = methods.flatMap { $0 == .get ? [.get, .head] : [$0] }
        return (withHead + [.options]).map { "\($0.name)" }.joined(separator: ", ")
    }
}
