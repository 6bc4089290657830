// SPDX-License-Identifier: Apache-2.0

import Glibc
import JarStorage

/// The file with the pepper, for its owner alone.
///
/// It is made where there are no tokens, and never beside some: a new pepper would make them worthless without saying
/// so. It is in no backup.
enum PepperFile {
    /// The pepper of a data directory.
    static func open(_ path: String, hasTokens: Bool) throws(CatalogueError) -> CataloguePepper {
        do {
            if !FileSystem.exists(path) {
                guard !hasTokens else { throw CatalogueError.pepper(isMissing: true) }
                try create(path)
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

    private static func create(_ path: String) throws(FileError) {
        let draft = "\(path).new"
        try FileSystem.remove(draft)
        try FileSystem.write(CataloguePepper.random().bytes, to: draft)
        try FileSystem.move(draft, to: path)
        try FileSystem.synchronize(FileSystem.parent(of: path))
    }
}
