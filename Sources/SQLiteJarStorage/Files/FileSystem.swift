// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A system call that failed.
struct FileError: Error, Hashable, Sendable {
    /// What it left in `errno`.
    let code: Int32
    /// What was being done: a verb and its object.
    let operation: String
}

/// The few calls on files that are made outside SQLite.
///
/// A database file that SQLite has open is never opened here: closing any descriptor of a file drops the
/// process's POSIX locks on it.
enum FileSystem {
    /// Makes a directory that only its owner can enter, whatever the umask, if it is not there.
    static func makeDirectory(_ path: String) throws(FileError) {
        if mkdir(path, 0o700) == 0 {
            guard chmod(path, 0o700) == 0 else { throw failure("set mode of directory") }
        } else if errno != EEXIST {
            throw failure("make directory")
        }
    }

    /// Makes a directory like `makeDirectory`, and those above it that are missing; each is durable in the one above it.
    static func makeDirectories(_ path: String) throws(FileError) {
        guard !exists(path) else { return }
        let parent = parent(of: path)
        try makeDirectories(parent)
        try makeDirectory(path)
        try synchronize(parent)
    }

    /// The directory that a path lies in.
    static func parent(of path: String) -> String {
        let slash = UInt8(ascii: "/")
        var rest = Array(path.utf8)[...]
        while rest.count > 1, rest.last == slash { rest.removeLast() }
        guard let cut = rest.lastIndex(of: slash) else { return "." }
        return cut == 0 ? "/" : String(decoding: rest[..<cut], as: UTF8.self)
    }

    /// Opens a file for reading and writing, making one that only its owner can read if it is not there.
    static func open(_ path: String, exclusively: Bool = false) throws(FileError) -> FileDescriptor
    {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | (exclusively ? O_EXCL : 0)
        let number = Glibc.open(path, flags, 0o600)
        guard number >= 0 else { throw failure("open file") }
        let file = FileDescriptor(number)
        guard fchmod(number, 0o600) == 0 else { throw failure("set mode of file") }
        return file
    }

    /// Opens a file, or a directory, for reading.
    static func openForReading(_ path: String) throws(FileError) -> FileDescriptor {
        let number = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw failure("open file") }
        return FileDescriptor(number)
    }

    /// Makes the entries of a directory durable, or the contents of a file.
    static func synchronize(_ path: String) throws(FileError) {
        let file = try openForReading(path)
        guard fsync(file.number) == 0 else { throw failure("sync") }
    }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func move(_ path: String, to target: String) throws(FileError) {
        guard rename(path, target) == 0 else { throw failure("rename") }
    }

    /// Removes a directory with everything in it, if it is there.
    ///
    /// Follows no symbolic link.
    static func removeDirectory(_ path: String) throws(FileError) {
        guard exists(path) else { return }
        for name in try entries(of: path) {
            let entry = "\(path)/\(name)"
            if unlink(entry) == 0 { continue }
            guard errno == EISDIR || errno == EPERM else { throw failure("remove file") }
            try removeDirectory(entry)
        }
        guard rmdir(path) == 0 else { throw failure("remove directory") }
    }

    /// Removes a file, if it is there.
    static func remove(_ path: String) throws(FileError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw failure("remove file") }
    }

    /// The names in a directory, but `.` and `..`.
    static func entries(of path: String) throws(FileError) -> [String] {
        guard let directory = opendir(path) else { throw failure("read directory") }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// How many octets a file has.
    static func size(of path: String) throws(FileError) -> Int {
        var status = Glibc.stat()
        guard stat(path, &status) == 0 else { throw failure("look at file") }
        return Int(status.st_size)
    }

    /// A whole file.
    static func contents(of path: String) throws(FileError) -> [UInt8] {
        try openForReading(path).read(limit: try size(of: path))
    }

    /// Makes a file of its own for these bytes, durable but for its directory.
    static func write(_ bytes: [UInt8], to path: String) throws(FileError) {
        let file = try open(path, exclusively: true)
        try file.overwrite(bytes)
        guard fsync(file.number) == 0 else { throw failure("sync") }
    }

    /// Puts a file with these bytes in the place of another one, durable and in one step.
    ///
    /// A draft beside it that was left by a process that was killed is written anew.
    static func replace(_ path: String, with bytes: [UInt8]) throws(FileError) {
        let draft = "\(path).new"
        try remove(draft)
        try write(bytes, to: draft)
        try move(draft, to: path)
        try synchronize(parent(of: path))
    }

    /// Copies a file to one that is not there.
    static func copy(_ path: String, to target: String) throws(FileError) {
        let source = try openForReading(path)
        let copy = try open(target, exclusively: true)
        var rest = try size(of: path)
        while rest > 0 {
            let count = sendfile(copy.number, source.number, nil, rest)
            guard count > 0 else { throw failure("copy file") }
            rest -= count
        }
    }

    static func failure(_ operation: String) -> FileError {
        FileError(code: errno, operation: operation)
    }
}

/// An open file, closed with its owner.
struct FileDescriptor: ~Copyable, Sendable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit {
        // What matters has been synced before; the kernel frees the descriptor even when it reports an error.
        close(number)
    }

    /// The first `limit` bytes, or as many as there are.
    func read(limit: Int) throws(FileError) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = buffer.withUnsafeMutableBytes { pread(number, $0.baseAddress, limit, 0) }
        guard count >= 0 else { throw FileSystem.failure("read file") }
        return Array(buffer.prefix(count))
    }

    /// Puts the bytes at the start of the file, in one call.
    func overwrite(_ bytes: [UInt8]) throws(FileError) {
        let count = bytes.withUnsafeBytes { pwrite(number, $0.baseAddress, $0.count, 0) }
        guard count == bytes.count else { throw FileSystem.failure("write file") }
    }
}
