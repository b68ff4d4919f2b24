package import ObjectStorage
import Persistence

/// Where a library's originals are.
package enum Originals: Sendable {
    /// In the library's folder.
    case folder
    /// In a bucket; `readsBack` if stored bytes must be read back, since the store does not compare checksums.
    case bucket(ObjectClient, readsBack: Bool)

    var isFolder: Bool {
        switch self {
        case .folder: true
        case .bucket: false
        }
    }

    /// The store of a library's originals.
    func store(_ layout: LibraryLayout, in files: some FileSystem, blocking: BlockingPool) -> any ContentStore {
        switch self {
        case .folder: FileContentStore(layout, in: files, blocking: blocking)
        case .bucket(let client, let readsBack):
            ObjectContentStore(client, readsBack: readsBack) {
                let path = layout.staging.appending("lent-\(UInt64.random(in: .min ... .max))")
                let file = try files.open(path, .create)
                try files.unlink(path)
                return file
            }
        }
    }
}
