// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The address of a client, without its port.
///
/// IPv4 is kept as IPv4-mapped IPv6.
struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
    private let high: UInt64
    private let low: UInt64

    private static let mappedPrefix: UInt64 = 0xFFFF

    init(ipv4 address: UInt32) {
        high = 0
        low = Self.mappedPrefix << 32 | UInt64(address)
    }

    init(ipv6 bytes: (UInt64, UInt64)) {
        high = bytes.0
        low = bytes.1
    }

    private var isIPv4: Bool { high == 0 && low >> 32 == Self.mappedPrefix }

    var isLoopback: Bool {
        isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1
    }

    /// The address as a whole for IPv4, the network of a site for IPv6.
    var network: (UInt64, UInt64) { isIPv4 ? (high, low) : (high, 0) }

    var description: String {
        var octets = withUnsafeBytes(of: high.bigEndian, Array.init)
        octets += withUnsafeBytes(of: low.bigEndian, Array.init)
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = isIPv4 ? AF_INET : AF_INET6
        let start = isIPv4 ? 12 : 0
        let failed = octets.withUnsafeBytes {
            inet_ntop(family, $0.baseAddress.map { $0 + start }, &text, socklen_t(text.count))
                == nil
        }
        guard !failed, let end = text.firstIndex(of: 0) else { return "unknown" }
        return String(decoding: text[..<end].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
