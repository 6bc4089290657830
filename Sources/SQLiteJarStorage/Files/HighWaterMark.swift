// SPDX-License-Identifier: Apache-2.0

/// The sequence of the last change that was acknowledged, in a file of its own beside the database.
///
/// It is written after each commit and never synced, so it can lag behind the database but not run ahead of it. A
/// database that is behind the mark has lost acknowledged changes: a log that was cut off, or an old copy
/// that was put back. The content is twenty decimal digits and a line feed, overwritten in place.
struct HighWaterMark: ~Copyable {
    private let file: FileDescriptor
    private static let length = 21

    /// Opens the mark of a tenant; one that is missing is made anew.
    init(path: String) throws(FileError) {
        file = try FileSystem.open(path)
    }

    /// The sequence that was written last; nil when the file holds none, as after a power cut.
    func read() throws(FileError) -> Int64? {
        let bytes = try file.read(limit: Self.length)
        guard bytes.count == Self.length, bytes.last == UInt8(ascii: "\n") else { return nil }
        var sequence: Int64 = 0
        for byte in bytes.dropLast() {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let product = sequence.multipliedReportingOverflow(by: 10)
            let sum = product.partialValue.addingReportingOverflow(
                Int64(byte - UInt8(ascii: "0")))
            guard !product.overflow, !sum.overflow else { return nil }
            sequence = sum.partialValue
        }
        return sequence
    }

    /// Raises the mark.
    func write(_ sequence: Int64) throws(FileError) {
        var bytes = [UInt8](repeating: UInt8(ascii: "0"), count: Self.length)
        bytes[Self.length - 1] = UInt8(ascii: "\n")
        var rest = sequence
        var index = Self.length - 2
        while rest > 0 {
            bytes[index] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            index -= 1
        }
        try file.overwrite(bytes)
    }
}
