// SPDX-License-Identifier: Apache-2.0

/// The first hundred octets of a database file, looked at before SQLite opens it: to an empty file SQLite would do
/// more than read, it deletes the log beside it.
enum DatabaseHeader {
    private static let magic = Array("SQLite format 3\u{0}".utf8)
    private static let length = 100
    private static let applicationIDOffset = 68

    /// Fails unless the file starts like a database of ours.
    ///
    /// It must not be open anywhere in this process.
    static func check(_ path: String) throws(TenantOpenError) {
        let header: [UInt8]
        do {
            header = try FileSystem.openForReading(path).read(limit: length)
        } catch {
            throw .file(error)
        }
        guard header.count == length, header.starts(with: magic) else { throw .notADatabase }
        let octets = header[applicationIDOffset..<(applicationIDOffset + 4)]
        let applicationID = octets.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard applicationID == Migrations.applicationID else { throw .notADatabase }
    }
}
