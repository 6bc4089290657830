// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `GET S`.
    func getStore(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (useCase, id) = (DescribeStore(name: try call.storeID()), call.id)
        try answer(call, &exchange) { [self] snapshot in
            guard let body = useCase.run(on: snapshot.state, now: clock()) else {
                return .failure(.notFound("store"))
            }
            return .success(.json(body, id))
        }
    }

    /// `POST S/end-session`.
    func endStoreSession(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        EndSession(store: store).run(
            in: address, storage: writing(call), rules: rules, now: clock(),
            completion: ended(call, &exchange))
    }

    /// `POST J/end-session`.
    func endJarSession(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        EndSession(store: nil).run(
            in: try call.jarAddress(), storage: writing(call), rules: rules, now: clock(),
            completion: ended(call, &exchange))
    }

    private func ended(
        _ call: Call, _ exchange: inout HTTPExchange
    ) -> @Sendable (Result<Changed<Int>, ServiceError>) -> Void {
        completion(call, &exchange) {
            DeletedBody(deleted: $0.answer, revision: $0.revision.rawValue)
        }
    }

    /// `DELETE S`.
    func deleteStore(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (address, store) = (try call.jarAddress(), try call.storeID())
        DeleteStores(store: store).run(
            in: address, storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange))
    }

    /// `GET J`.
    func getJar(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (useCase, id) = (DescribeJar(name: try call.jarAddress().jar), call.id)
        try answer(call, &exchange) { [self] snapshot in
            guard let body = useCase.run(on: snapshot.state, now: clock()) else {
                return .failure(.notFound("jar"))
            }
            var response = HTTPResponse.json(body, id)
            response.fields.append("ETag", Array("\"\(body.revision)\"".utf8))
            return .success(response)
        }
    }

    /// `DELETE J`.
    func deleteJar(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        DeleteStores(store: nil).run(
            in: try call.jarAddress(), storage: writing(call), rules: rules, now: clock(),
            completion: completion(call, &exchange))
    }

    /// `GET T/jars`.
    func listJars(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let tenant = try call.tenantID()
        let limit = try call.query.integer("limit", in: 1...1000) ?? 100
        let after = try cursor(call) { Base64.decode($0, .urlSafe).flatMap { JarID($0) } }
        let responder = exchange.deferResponse()
        let id = call.id
        // One line more than asked for tells whether there is another page.
        storage.jars(of: tenant, after: after, limit: limit + 1) { [self] result in
            switch result {
            case .success(let jars): responder.send(.json(Self.page(of: jars, limit: limit), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    private static func page(of jars: [JarSummary], limit: Int) -> JarPageBody {
        let page = jars.prefix(limit)
        var cursor: [UInt8]?
        if jars.count > limit, let last = page.last {
            var text: [UInt8] = []
            Base64.encode(last.jar.bytes, .urlSafe, to: &text)
            cursor = text
        }
        return JarPageBody(
            jars: page.map {
                JarPageBody.Line(name: $0.jar.bytes, revision: $0.revision.rawValue)
            }, nextCursor: cursor)
    }
}
