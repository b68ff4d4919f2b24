import AgentStore
import Glibc
import LibraryAPI
import Persistence
import PhotoModel
import TestSupport

/// A folder of its own for a test's store; gone when it is dropped.
final class StoreFolder {
    let path: Path

    init() {
        path = Path("/tmp/tintype-agent-store-\(getpid())-\(UInt64.random(in: 0 ... .max))")
    }

    deinit {
        Self.remove(path)
    }

    func open(_ fileSystem: any FileSystem = PosixFileSystem()) throws -> AgentStore {
        try AgentStore(root: path, fileSystem: fileSystem, now: WallTime(microsecondsSince1970: 0))
    }

    private static func remove(_ path: Path) {
        let real = PosixFileSystem()
        guard let status = try? real.status(path) else { return }
        guard status.isDirectory else { return (try? real.unlink(path)) ?? () }
        for name in (try? real.list(path)) ?? [] { remove(path.appending(name)) }
        try? real.removeDirectory(path)
    }
}

/// A capture for a test, which tells its number by its bytes.
struct Draft {
    /// Where bytes come from.
    enum Content {
        case bytes([UInt8])
        case file(Path, Intake.Transfer)
    }

    /// A resource to be.
    struct Resource {
        var id: ResourceID
        var type: AssetResourceType
        var contentType: String
        var content: Content
    }

    var manifest: AssetManifest
    var resources: [Resource]

    static let start = WallTime(microsecondsSince1970: 1_700_000_000_000_000)

    static func photo(_ number: Int, byteCount: Int = 100) -> Draft {
        make(number, [(.photo, "image/jpeg", byteCount)])
    }

    static func livePhoto(_ number: Int) -> Draft {
        make(number, [(.photo, "image/jpeg", 100), (.pairedVideo, "video/quicktime", 5000)])
    }

    private static func make(_ number: Int, _ parts: [(AssetResourceType, String, Int)]) -> Draft {
        let id = AssetID(rawValue: UInt128(number) + 1)
        let manifest = AssetManifest(
            id: id,
            mediaType: .image,
            captureTime: CaptureTime(wall: start, source: .deviceClock, isSynchronized: true),
            resources: []
        )
        let resources = parts.enumerated().map { index, part in
            Resource(
                id: ResourceID(rawValue: UInt128(number) << 8 | UInt128(index)),
                type: part.0,
                contentType: part.1,
                content: .bytes([UInt8](repeating: UInt8(truncatingIfNeeded: number + index), count: part.2))
            )
        }
        return Draft(manifest: manifest, resources: resources)
    }
}

extension AgentStore {
    /// Brings a capture's bytes into an intake.
    func staged(_ draft: Draft) throws -> CaptureDraft {
        let intake = makeIntake()
        var staged = CaptureDraft(draft.manifest)
        for resource in draft.resources {
            let file =
                switch resource.content {
                case .bytes(let bytes): try intake.write(bytes)
                case .file(let path, let transfer): try intake.stage(path, by: transfer, from: PosixFileSystem())
                }
            staged.append(file, id: resource.id, type: resource.type, contentType: resource.contentType)
        }
        return staged
    }

    @discardableResult
    func add(_ draft: Draft, limits: SpaceLimits = SpaceLimits(), now: WallTime) throws -> QueueEntry {
        try add(staged(draft), limits: limits, now: now)
    }

    func add(
        _ drafts: [Draft],
        limits: SpaceLimits = SpaceLimits(),
        now: WallTime,
        with change: (Transaction) throws -> Void
    ) throws {
        try add(drafts.map(staged), limits: limits, now: now, with: change)
    }

    /// What is wrong with the bytes of an entry; nil when every file is there with its digest.
    func damage(of entry: QueueEntry) throws -> String? {
        for resource in entry.manifest.resources {
            let found = try ContentHasher.digest(file(of: resource, in: entry.id), in: PosixFileSystem())
            if found.digest != resource.digest { return "\(resource.type) of \(entry.id) differs" }
        }
        return nil
    }
}
