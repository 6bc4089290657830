// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the host setting means for who can connect.
enum Address {
    /// Whether only this machine can reach what listens there: `localhost`, 127.0.0.0/8 and ::1.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        var four = in_addr()
        if inet_pton(AF_INET, host, &four) == 1 {
            return UInt32(bigEndian: four.s_addr) >> 24 == 127
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, host, &six) == 1 else { return false }
        return withUnsafeBytes(of: six) { bytes in
            bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    /// The address under which this machine reaches a service that listens on `host`.
    static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0", "localhost": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}
