// SPDX-License-Identifier: Apache-2.0

public import Cookies

/// A host and the addresses that it answers under.
public struct HostRecord: Hashable, Sendable {
    /// The most addresses of one host.
    public static let maximumAddresses = 256

    /// The host: a name, no address.
    public let host: Host
    /// Its addresses, each once, in the order in which they were given.
    public let addresses: [Host]

    /// A record made of its parts.
    public init(host: Host, addresses: some Sequence<Host>) {
        self.host = host
        var seen: Set<Host> = []
        self.addresses = addresses.filter { seen.insert($0).inserted }
    }
}

/// An address that belongs to more than one host, so that somebody has to say which is meant.
public struct AmbiguousAddress: Error, Hashable, Sendable {
    /// The address.
    public let address: Host
}

/// Which addresses belong to which host (HTTPDNS, design section 2.5).
public struct HostTable: Sendable {
    /// The most hosts of one tenant.
    public static let maximumHosts = 2000

    /// Whom an address belongs to.
    public enum Owner: Hashable, Sendable {
        /// Nobody has said so.
        case unknown
        /// This host.
        case host(Host)
        /// More than one host: whoever asks has to say which.
        case ambiguous
    }

    /// The hosts, in the order of their octets.
    public private(set) var records: [HostRecord] = []
    private var owners: [Host: [Host]] = [:]

    /// A table without hosts.
    public init() {}

    /// Whether there are none.
    public var isEmpty: Bool { records.isEmpty }

    /// Whom an address belongs to.
    ///
    /// Complexity: O(1).
    public func owner(of address: Host) -> Owner {
        guard let hosts = owners[address], let first = hosts.first else { return .unknown }
        return hosts.count == 1 ? .host(first) : .ambiguous
    }

    /// The host that is meant by one that may be an address.
    ///
    /// Of several, `expected` is meant if it is one of them.
    ///
    /// - Throws: when it is an address of several hosts.
    public func actual(
        _ host: Host, expecting expected: Host? = nil
    ) throws(AmbiguousAddress) -> Host {
        guard host.isAddress else { return host }
        switch owner(of: host) {
        case .unknown: return host
        case .host(let owner): return owner
        case .ambiguous:
            guard let expected, owners[host]?.contains(expected) == true else {
                throw AmbiguousAddress(address: host)
            }
            return expected
        }
    }

    /// A host's record.
    ///
    /// Complexity: O(log n).
    public subscript(host: Host) -> HostRecord? {
        let index = index(of: host)
        guard index < records.endIndex, records[index].host == host else { return nil }
        return records[index]
    }

    /// At most `limit` hosts that come after that one.
    public func page(after host: Host?, limit: Int) -> ArraySlice<HostRecord> {
        var start = records.startIndex
        if let host {
            start = index(of: host)
            if start < records.endIndex, records[start].host == host { start += 1 }
        }
        return records[start...].prefix(max(0, limit))
    }

    /// About how many bytes of memory it takes.
    var footprint: Int {
        records.reduce(0) { $0 + 128 + $1.addresses.count * 192 }
    }

    mutating func set(_ record: HostRecord) {
        _ = remove(record.host)
        records.insert(record, at: index(of: record.host))
        for address in record.addresses { owners[address, default: []].append(record.host) }
    }

    mutating func remove(_ host: Host) -> Bool {
        let index = index(of: host)
        guard index < records.endIndex, records[index].host == host else { return false }
        for address in records.remove(at: index).addresses {
            let others = owners[address]?.filter { $0 != host } ?? []
            owners[address] = others.isEmpty ? nil : others
        }
        return true
    }

    /// Where a host is, or would be.
    private func index(of host: Host) -> Int {
        var (low, high) = (records.startIndex, records.endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if records[middle].host.bytes.lexicographicallyPrecedes(host.bytes) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
