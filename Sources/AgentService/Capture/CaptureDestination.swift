package import AgentStore
package import Capture
import Glibc
import LibraryAPI
package import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
package import SystemPackage

/// Where the files of a shot go once it is over; every call blocks.
package protocol CaptureDestination: Sendable {
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
package final class QueueDestination: CaptureDestination {
    /// In the folder of a shot, locked while it is taken: another process that opens the queue leaves it alone.
    static let lockName = "lock"
    /// Waits of 10 ms.
    private static let attempts = 100

    private let store: AgentStore
    private let limits: SpaceLimits
    private let fileSystem = PosixFileSystem()
    private let locks = Mutex<[AssetID: any FileLock]>([:])

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
        try lock(record, folder)
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
        var manifest = record.manifest(
            captureTime: result.frame.captureTime,
            isLivePhoto: result.movie != nil,
            isIncomplete: result.flags.contains(.liveIncomplete)
        )
        manifest.pixelSize = result.still.pixelSize
        manifest.durationMicroseconds = result.movie.map { Int64($0.duration / .microseconds(1)) }
        let draft = CaptureDraft(
            manifest: manifest,
            resources: result.resources.map { resource in
                CaptureDraft.Resource(
                    id: .derived(from: resource.file.digest),
                    type: resource.type,
                    contentType: resource.file.contentType,
                    originalFilename: resource.originalFilename,
                    content: .move(
                        Path(resource.file.path.string),
                        hashed: (resource.file.digest, resource.file.byteCount)
                    )
                )
            }
        )
        let entry: QueueEntry
        do {
            entry = try store.add(draft, limits: limits, now: Box.now())
        } catch {
            // Its files stay for who looks for interrupted shots next.
            release(record)
            guard let error = error as? AgentStoreError, error.code == .full else { throw error }
            RefusedCapture(
                time: Box.now(),
                byteCount: result.resources.reduce(0) { $0 + $1.file.byteCount }
            ).remember(in: store)
            throw error
        }
        // The asset is safe; that its record is missing would harm nobody.
        try? record.write(into: store.folder(of: record.id), in: fileSystem)
        // Another process that looks for interrupted shots just now removes the rest.
        try? discard(record)
        return try entry.manifest.resources.map { try store.place(of: $0, in: result.id).path }
    }

    /// Removes `capturing/<asset id>/`.
    package func discard(_ record: CaptureRecord) throws {
        defer { release(record) }
        try fileSystem.removeFiles(of: folder(of: record))
    }

    private func release(_ record: CaptureRecord) {
        locks.withLock { $0.removeValue(forKey: record.id) }?.release()
    }

    /// Makes the folder of a shot, and makes it this process's.
    private func lock(_ record: CaptureRecord, _ folder: Path) throws {
        for _ in 1...Self.attempts {
            do throws(PersistenceError) {
                try fileSystem.createDirectories(folder)
                let lock = try fileSystem.lock(folder.appending(Self.lockName))
                // A process that looked for interrupted shots between the two took the folder away again.
                guard try fileSystem.status(folder.appending(Self.lockName)) != nil else { continue }
                locks.withLock { $0[record.id] = lock }
                return
            } catch {
                guard error.code == .locked || error.code == .notFound else { throw error }
                usleep(10_000)
            }
        }
        throw PersistenceError(.locked, "begin", folder.text, "another process has it")
    }

    private func folder(of record: CaptureRecord) -> Path {
        Self.workFolder(of: store).appending(record.id.description)
    }
}

extension CaptureRecord {
    /// The asset's description, still without its resources.
    ///
    /// - Parameters:
    ///   - captureTime: when it was captured.
    ///   - isLivePhoto: whether its movie is there.
    ///   - isIncomplete: whether its movie should be there and is not.
    /// - Returns: the manifest.
    func manifest(captureTime: CaptureTime, isLivePhoto: Bool, isIncomplete: Bool) -> AssetManifest {
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
            lagMicroseconds: lagMilliseconds.map { Int64(($0 * 1000).rounded()) },
            isLivePhotoIncomplete: isIncomplete ? true : nil
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
