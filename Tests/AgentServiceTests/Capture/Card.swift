import AgentStore
import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import Testing

@testable import AgentCapture

/// A folder that is imported, and a queue that does not know what is in it.
struct Card {
    let bench: CaptureBench
    let folder: TemporaryFolder

    init() throws {
        bench = try CaptureBench()
        folder = try TemporaryFolder()
    }

    /// Writes a file whose name only bytes can tell.
    func write(_ name: [UInt8], _ bytes: [UInt8]) throws {
        let text = Array(folder.path.text.utf8) + [UInt8(ascii: "/")] + name + [0]
        let path = text.map { CChar(truncatingIfNeeded: $0) }
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        try #require(descriptor >= 0, "errno \(errno)")
        #expect(unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
        close(descriptor)
    }

    func run(
        _ options: Importer.Options = Importer.Options(),
        in fileSystem: any FileSystem = PosixFileSystem()
    ) throws -> Importer.Report {
        try Importer(store: bench.store, limits: SpaceLimits(), album: nil, options: options, in: fileSystem)
            .run([folder.path]).report
    }

    /// The names of all files that came into the queue.
    func names() throws -> Set<[UInt8]> {
        Set(try bench.store.entries().flatMap(\.manifest.resources).compactMap { $0.originalFilename?.bytes })
    }

    /// What each asset of the queue consists of, in the order of capture.
    func types() throws -> [[AssetResourceType]] {
        try bench.store.entries().map { $0.manifest.resources.map(\.type) }
    }
}
