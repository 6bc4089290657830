// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import Cookies
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// `PUT T/hosts/{host}`.
    func putHost(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, host) = (try call.tenantID(), try knownHost(call))
        let body = try call.decode(HostRequestBody.self)
        if host.isAddress { throw .invalid("/path/host", "must be a name, not an address") }
        if !host.isLoopback, rules.suffixes.isPublicSuffix(host.bytes) {
            throw .invalid("/path/host", "is a public suffix, which is nobody's host")
        }
        var addresses: [Host] = []
        for (index, text) in body.addresses.enumerated() {
            let pointer = "/addresses/\(index)"
            guard let address = Host(text, names: rules.names), address.isAddress else {
                throw .invalid(pointer, "is neither an IPv4 nor an IPv6 address")
            }
            addresses.append(address)
        }
        let record = HostRecord(host: host, addresses: addresses)
        let id = call.id
        PutHost(record: record).run(
            of: tenant, storage: writing(call),
            completion: completion(call, &exchange) { isNew in
                .json(HostBody(record), id, status: isNew ? .created : .ok)
            })
    }

    /// `GET T/hosts/{host}`.
    func getHost(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (host, id) = (try knownHost(call), call.id)
        try answerOfTenant(call, &exchange) { tenant in
            guard let record = tenant.hosts[host] else { return .failure(.notFound("host")) }
            return .success(.json(HostBody(record), id))
        }
    }

    /// `DELETE T/hosts/{host}`.
    func deleteHost(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let (tenant, host, id) = (try call.tenantID(), try knownHost(call), call.id)
        DeleteHost(host: host).run(
            of: tenant, storage: writing(call),
            completion: completion(call, &exchange) { _ in .empty(.noContent, id) })
    }

    /// `GET T/hosts`.
    func listHosts(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let limit = try call.query.integer("limit", in: 1...1000) ?? 100
        let names = rules.names
        let after = try cursor(call) { text in
            Base64.decode(text, .urlSafe).flatMap { Host($0, names: names) }
        }
        let id = call.id
        try answerOfTenant(call, &exchange) { tenant in
            // One more than asked for tells whether there is another page.
            let found = tenant.hosts.page(after: after, limit: limit + 1)
            let page = found.prefix(limit)
            var cursor: [UInt8]?
            if found.count > limit, let last = page.last {
                var text: [UInt8] = []
                Base64.encode(last.host.bytes, .urlSafe, to: &text)
                cursor = text
            }
            return .success(
                .json(HostPageBody(hosts: page.map(HostBody.init), nextCursor: cursor), id))
        }
    }

    private func knownHost(_ call: Call) throws(Problem) -> Host {
        let host = try reading.host(Array(call.path.host), at: "/path/host")
        guard host.isAddress || host.bytes.allSatisfy(HostReading.isHostNameOctet) else {
            throw .invalid("/path/host", "is not a host name that can be looked up")
        }
        return host
    }
}

extension HostBody {
    init(_ record: HostRecord) {
        self.init(host: record.host.bytes, addresses: record.addresses.map(Self.text))
    }

    /// An address as it stands outside of a URL: without brackets.
    private static func text(of address: Host) -> [UInt8] {
        address.bytes.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
    }
}
