package import ObjectStorage
import Persistence

/// The location of a library's originals.
package enum Originals: Sendable {
    /// In the library's folder.
    case folder
    /// In a bucket; `readsBack` if stored bytes must be read back, because the store does not verify checksums.
    case bucket(ObjectClient, readsBack: Bool)

    var isFolder: Bool { if case .folder = self { true } else { false } }

    /// The store of a library's originals.
    ///
    /// - Parameters:
    ///   - layout: the library's folder.
    ///   - files: the folder's file system.
    ///   - blocking: the threads for blocking calls.
    ///   - isShared: whether other servers may use the bucket at the same time.
    /// - Returns: the store.
    func store(
        _ layout: LibraryLayout,
        in files: some FileSystem,
        blocking: BlockingPool,
        isShared: Bool = false
    ) -> any ContentStore {
        switch self {
        case .folder: FileContentStore(layout, in: files, blocking: blocking)
        case .bucket(let client, let readsBack):
            ObjectContentStore(client, readsBack: readsBack, isShared: isShared) {
                let path = layout.staging.appending("lent-\(UInt64.random(in: .min ... .max))")
                let file = try files.open(path, .create)
                try files.unlink(path)
                return file
            }
        }
    }
}
