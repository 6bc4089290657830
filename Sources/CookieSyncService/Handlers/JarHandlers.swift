// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage
import Locks

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
        let (id, held) = (call.id, HeldTags(of: call.request))
        let useCase = DescribeJar(
            name: try call.jarAddress().jar, visible: call.principal.record?.stores ?? [])
        try answer(call, &exchange) { [self] snapshot in
            guard let body = useCase.run(on: snapshot.state, now: clock()) else {
                return .failure(.notFound("jar"))
            }
            let tag = Array("\"\(body.revision)\"".utf8)
            var response =
                tag.withUnsafeBufferPointer(held.contains)
                ? HTTPResponse.empty(.notModified, id) : HTTPResponse.json(body, id)
            response.fields.append("ETag", tag)
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
        let responder = later(call, &exchange)
        let (id, principal) = (call.id, call.principal)
        if let jars = principal.record?.jars, !jars.isEmpty {
            return listJars(jars, of: tenant, after: after, limit: limit, id, responder)
        }
        // One line more than asked for tells whether there is another page.
        storage.jars(of: tenant, after: after, limit: limit + 1) { [self] result in
            switch result {
            case .success(let jars): responder.send(.json(Self.page(of: jars, limit: limit), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
    }

    /// The jars that a token is limited to, as far as they exist.
    private func listJars(
        _ names: [JarID], of tenant: TenantID, after: JarID?, limit: Int, _ id: RequestID,
        _ responder: Reply
    ) {
        let wanted = names.filter { name in after.map { $0 < name } ?? true }.sorted()
        let gathering = Gathering(wanted) { [self] found in
            switch found {
            case .success(let found):
                let jars = found.filter { $0.1.state.isPresent }
                    .map { JarSummary(jar: $0.0, revision: $0.1.state.revision) }
                responder.send(.json(Self.page(of: jars, limit: limit), id))
            case .failure(let error):
                responder.send(problem(Problem(ServiceError.storage(error)), id))
            }
        }
        for name in wanted {
            storage.read(JarAddress(tenant: tenant, jar: name)) { gathering.take($0, of: name) }
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

/// Waits for the answers to some reads, and hands them over in the order of the names.
private final class Gathering: Sendable {
    typealias Answer = Result<[(JarID, JarSnapshot)], JarStorageError>

    private let found = Locked<[JarID: Result<JarSnapshot, JarStorageError>]>([:])
    private let names: [JarID]
    private let completion: @Sendable (Answer) -> Void

    /// Completes at once where there is nothing to wait for.
    init(_ names: [JarID], completion: @escaping @Sendable (Answer) -> Void) {
        self.names = names
        self.completion = completion
        if names.isEmpty { completion(.success([])) }
    }

    func take(_ result: Result<JarSnapshot, JarStorageError>, of name: JarID) {
        let all = found.withLock { found in
            found[name] = result
            return found.count == names.count ? found : nil
        }
        guard let all else { return }
        completion(
            Result { () throws(JarStorageError) in
                var jars: [(JarID, JarSnapshot)] = []
                for name in names {
                    if let result = all[name] { jars.append((name, try result.get())) }
                }
                return jars
            })
    }
}
