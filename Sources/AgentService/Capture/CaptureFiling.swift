package import AgentStore
package import Capture
import LibraryAPI
package import Persistence
import PhotoLibrary
import PhotoModel
package import SystemPackage

/// Where the files of a shot go once it is over; every call blocks.
package protocol CaptureFiling: Sendable {
    /// Makes the folder that the files of a shot are written to first: on the file system where they will stay.
    ///
    /// - Parameter record: what is wanted; kept, so that a shot that a crash interrupts can be taken in.
    /// - Returns: the folder.
    /// - Throws: what the file system throws.
    func begin(_ record: CaptureRecord) throws -> FilePath

    /// Puts a finished shot in its place; when this returns, it survives a power cut.
    ///
    /// - Parameters:
    ///   - result: the shot.
    ///   - record: what is known of it.
    /// - Returns: where the files are now, the still first.
    /// - Throws: what the store or the file system throws; then the files stay where they were written.
    func file(_ result: CaptureResult, _ record: CaptureRecord) throws -> [Path]

    /// Removes what a shot that failed left.
    func discard(_ record: CaptureRecord) throws
}

/// Puts shots into the queue, from where they are synchronised.
package struct QueueFiling: CaptureFiling {
    private let store: AgentStore
    private let limits: SpaceLimits
    private let fileSystem = PosixFileSystem()

    /// Files into a queue.
    package init(store: AgentStore, limits: SpaceLimits) {
        self.store = store
        self.limits = limits
    }

    /// The folder below the queue's root whose folders hold shots that are being taken.
    static func workFolder(of store: AgentStore) -> Path { store.root.appending("capturing") }

    /// Makes `capturing/<asset id>/`.
    ///
    /// A box that is being retired takes no shot. The folder comes first: a shot that is let through here is found by whoever
    /// then closes the list of what is left.
    package func begin(_ record: CaptureRecord) throws -> FilePath {
        let folder = folder(of: record)
        try fileSystem.createDirectories(folder)
        do {
            if try store.draining() != nil { throw AgentStoreError.retiring(nil) }
            try record.write(into: folder, in: fileSystem)
        } catch {
            try? discard(record)
            throw error
        }
        return FilePath(folder.text)
    }

    /// Makes the entry.
    package func file(_ result: CaptureResult, _ record: CaptureRecord) throws -> [Path] {
        var manifest = record.manifest(captureTime: result.frame.captureTime, isLivePhoto: result.movie != nil)
        manifest.pixelSize = result.still.pixelSize
        manifest.durationMicroseconds = result.movie.map { Int64($0.duration / .microseconds(1)) }
        var draft = CaptureDraft(
            manifest: manifest,
            resources: result.resources.map { resource in
                CaptureDraft.Resource(
                    id: .derived(from: resource.file.digest),
                    type: resource.type,
                    contentType: resource.file.contentType,
                    originalFilename: resource.originalFilename,
                    content: .move(Path(resource.file.path.string))
                )
            }
        )
        draft.isIncompleteLivePhoto = result.flags.contains(.liveIncomplete)
        let entry = try store.add(draft, limits: limits, now: Box.now())
        // The asset is safe; that its record is missing would harm nobody.
        try? record.write(into: store.folder(of: record.id), in: fileSystem)
        try discard(record)
        return try entry.manifest.resources.map { try store.place(of: $0, in: result.id).path }
    }

    /// Removes `capturing/<asset id>/`.
    package func discard(_ record: CaptureRecord) throws {
        try fileSystem.removeFiles(of: folder(of: record))
    }

    private func folder(of record: CaptureRecord) -> Path {
        Self.workFolder(of: store).appending(record.id.description)
    }
}

extension CaptureRecord {
    /// The asset's description, still without its resources.
    func manifest(captureTime: CaptureTime, isLivePhoto: Bool) -> AssetManifest {
        var manifest = AssetManifest(
            id: id,
            mediaType: .image,
            mediaSubtypes: isLivePhoto ? .photoLive : [],
            captureTime: captureTime,
            desiredAlbum: album.map { .title($0) },
            resources: []
        )
        manifest.captureFacts = CaptureFacts(
            trigger: trigger.description,
            lagMicroseconds: lagMilliseconds.map { Int64(($0 * 1000).rounded()) }
        )
        manifest.location = location
        manifest.burst = burst
        return manifest
    }
}

extension FileSystem {
    /// Removes a folder and the files in it; nothing when there is none.
    func removeFiles(of folder: Path) throws {
        guard try status(folder) != nil else { return }
        for name in try list(folder) { try unlink(folder.appending(name)) }
        try removeDirectory(folder)
    }
}
