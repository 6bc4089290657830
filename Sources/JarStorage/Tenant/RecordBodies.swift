// SPDX-License-Identifier: Apache-2.0

// What the records of each kind are written as. An encoding that changes gets the next version, and reads the old ones.

import Cookies

extension HostRecord {
    private static let version: UInt8 = 1

    /// The host as an engine keeps it.
    var record: TenantRecord {
        var writer = RecordWriter(version: Self.version)
        writer.write(addresses.map(\.bytes))
        return TenantRecord(kind: .host, name: host.bytes, body: writer.bytes)
    }

    /// The host that an engine kept; nil when the record is damaged.
    init?(_ record: TenantRecord) {
        guard var reader = RecordReader(record.body, version: Self.version),
            let host = Host(record.name, names: CanonicalNames()), !host.isAddress,
            let texts = reader.list(), reader.isAtEnd
        else { return nil }
        let addresses = texts.compactMap { Host($0, names: CanonicalNames()) }
        guard addresses.count == texts.count, addresses.allSatisfy(\.isAddress) else {
            return nil
        }
        self.init(host: host, addresses: addresses)
    }
}

extension SyncRule {
    private static let version: UInt8 = 1

    /// The rule as an engine keeps it.
    var record: TenantRecord {
        var writer = RecordWriter(version: Self.version)
        writer.write(from.text)
        writer.write(to.bytes)
        writer.write(Array(mode.rawValue.utf8))
        writer.write(filter.url.map { [$0.text] } ?? [])
        writer.write(filter.domains)
        writer.write(filter.names)
        writer.write(UInt8(backfill == nil ? 0 : 1))
        if let backfill {
            writer.write(backfill.startedAt)
            writer.write(UInt8(backfill.finishedAt == nil ? 0 : 1))
            writer.write(backfill.finishedAt ?? backfill.startedAt)
            writer.write(backfill.lastJar?.bytes ?? [])
            writer.write(backfill.jarCount)
            writer.write(backfill.changedCount)
        }
        return TenantRecord(kind: .syncRule, name: name.bytes, body: writer.bytes)
    }

    /// The rule that an engine kept; nil when the record is damaged.
    init?(_ record: TenantRecord) {
        guard let name = SyncRuleID(record.name),
            var reader = RecordReader(record.body, version: Self.version),
            let from = reader.octets().flatMap(StorePattern.init),
            let to = reader.octets().flatMap({ StoreID($0) }),
            let mode = reader.octets().flatMap({ word in
                SyncMode.allCases.first { $0.rawValue.utf8.elementsEqual(word) }
            }),
            let filter = SyncFilter(&reader), let hasBackfill = reader.octet()
        else { return nil }
        var backfill: SyncBackfill?
        if hasBackfill == 1 {
            guard let read = SyncBackfill(&reader) else { return nil }
            backfill = read
        }
        guard hasBackfill <= 1, reader.isAtEnd else { return nil }
        self.init(name: name, from: from, to: to, mode: mode, filter: filter, backfill: backfill)
    }
}

extension SyncFilter {
    fileprivate init?(_ reader: inout RecordReader) {
        guard let urls = reader.list(), urls.count <= 1, let domains = reader.list(),
            let names = reader.list()
        else { return nil }
        var url: CookieURL?
        if let text = urls.first {
            guard let parsed = try? CookieURL(parsing: text, names: CanonicalNames()) else {
                return nil
            }
            url = parsed
        }
        self.init(url: url, domains: domains, names: names)
    }
}

extension SyncBackfill {
    fileprivate init?(_ reader: inout RecordReader) {
        guard let startedAt = reader.time(), let isFinished = reader.octet(), isFinished <= 1,
            let finishedAt = reader.time(), let lastJar = reader.octets(),
            let jarCount = reader.number(), let changedCount = reader.number()
        else { return nil }
        self.init(startedAt: startedAt)
        self.finishedAt = isFinished == 1 ? finishedAt : nil
        if !lastJar.isEmpty {
            guard let jar = JarID(lastJar) else { return nil }
            self.lastJar = jar
        }
        self.jarCount = jarCount
        self.changedCount = changedCount
    }
}
