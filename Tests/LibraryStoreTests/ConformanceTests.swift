import LibraryAPI
import LibraryStore
import LibraryStoreTestSupport
import Persistence
import PersistenceTestSupport
import PhotoModel
import Synchronization
import Testing

/// The embedded stores, held to the contracts of their ports.
struct ConformanceTests {
    @Test("the metadata port, embedded: SQLite", arguments: MetadataStoreConformance.promises)
    func metadata(promise: MetadataStoreConformance.Promise) async throws {
        let directory = try TemporaryDirectory()
        let count = Mutex(0)
        let suite = MetadataStoreConformance { [path = directory.path] effects, limits in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let root = path.appending("\(number)")
            try PosixFileSystem().createDirectories(root)
            return try SQLMetadataStore(
                LibraryLayout(root: root),
                library: LibraryID(rawValue: 1),
                isNew: true,
                limits: limits,
                effects: effects,
                blocking: BlockingPool(width: 2)
            )
        }
        try await promise.check(suite)
        withExtendedLifetime(directory) {}
    }

    @Test("the content port, embedded: plain files", arguments: ContentStoreConformance.promises)
    func files(promise: ContentStoreConformance.Promise) async throws {
        let directory = try TemporaryDirectory()
        let layout = LibraryLayout(root: directory.path.appending("library"))
        try layout.createFolders(in: PosixFileSystem())
        let suite = ContentStoreConformance {
            FileContentStore(layout, in: PosixFileSystem(), blocking: BlockingPool(width: 1))
        }
        try await promise.check(suite)
        withExtendedLifetime(directory) {}
    }

    @Test("the content port, in memory", arguments: ContentStoreConformance.promises)
    func memory(promise: ContentStoreConformance.Promise) async throws {
        let files = SimulatedFileSystem(seed: 1)
        let layout = LibraryLayout(root: Path("/library"))
        try layout.createFolders(in: files)
        let suite = ContentStoreConformance {
            FileContentStore(layout, in: files, blocking: BlockingPool(width: 1))
        }
        try await promise.check(suite)
    }
}
