// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// The file `BACKUP` at the top of a backup: a line `cookiesync backup 1`, then for each tenant its name and the
/// sequence of its last change.
///
/// It is written last. A directory that has it is complete, and is restored rather than served.
struct BackupManifest: Equatable {
    static let fileName = "BACKUP"
    private static let title = "cookiesync backup 1"

    var tenants: [(tenant: TenantID, sequence: Int64)] = []

    static func == (left: BackupManifest, right: BackupManifest) -> Bool {
        left.tenants.elementsEqual(right.tenants) { $0 == $1 }
    }

    /// The file's content.
    var text: [UInt8] {
        let lines = tenants.map { "\($0.tenant) \($0.sequence)" }
        return Array(([Self.title] + lines).map { "\($0)\n" }.joined().utf8)
    }

    init() {}

    /// What the content says; nil when it says nothing that this program wrote.
    init?(_ text: [UInt8]) {
        guard text.last == UInt8(ascii: "\n") else { return nil }
        let lines = text.dropLast().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.first?.elementsEqual(Self.title.utf8) == true else { return nil }
        for line in lines.dropFirst() {
            let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            guard parts.count == 2, let tenant = TenantID(parts[0]),
                let sequence = Int64(String(decoding: parts[1], as: UTF8.self)), sequence >= 0
            else { return nil }
            tenants.append((tenant, sequence))
        }
    }
}
