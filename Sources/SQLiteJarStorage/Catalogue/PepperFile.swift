// SPDX-License-Identifier: Apache-2.0

import Glibc
public import JarStorage

/// The file with the pepper, for its owner alone.
///
/// It is made where there are no tokens, and never beside some: a new pepper would make them worthless without saying
/// so. It is in no backup and in no database.
public enum PepperFile {
    /// The pepper of a file, which is made if it is not there and may be made.
    ///
    /// - Throws: `StorageOpenError.pepper`, or `dataDirectory` when the file system fails.
    public static func open(
        _ path: String, mayMake: Bool
    ) throws(StorageOpenError) -> CataloguePepper {
        do {
            return try read(path, mayMake: mayMake)
        } catch {
            throw error.openError(path)
        }
    }

    /// Whether the file is there.
    public static func exists(_ path: String) -> Bool { FileSystem.exists(path) }

    static func read(_ path: String, mayMake: Bool) throws(CatalogueError) -> CataloguePepper {
        do {
            if !FileSystem.exists(path) {
                guard mayMake else { throw CatalogueError.pepper(isMissing: true) }
                try FileSystem.makeDirectories(FileSystem.parent(of: path))
                try FileSystem.replace(path, with: CataloguePepper.random().bytes)
            }
            var status = Glibc.stat()
            guard lstat(path, &status) == 0 else { throw FileSystem.failure("look at file") }
            let isPrivate = status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o077 == 0
            let bytes = isPrivate ? try FileSystem.contents(of: path) : []
            guard bytes.count == CataloguePepper.length else {
                throw CatalogueError.pepper(isMissing: false)
            }
            return CataloguePepper(bytes)
        } catch let error as CatalogueError {
            throw error
        } catch let error as FileError {
            throw .file(error)
        } catch {
            throw .pepper(isMissing: false)
        }
    }
}
