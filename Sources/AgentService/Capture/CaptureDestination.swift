package import AgentStore
package import Capture
import Glibc
import LibraryAPI
package import Persistence
import PhotoLibrary
import PhotoModel
import Synchronization
package import SystemPackage

/// The destination of a shot's files; every call blocks.
package protocol CaptureDestination: Sendable {
    /// Creates the folder in which a shot's files are first written, on their final file system.
    ///
    /// - Parameter record: the request; stored, so that a shot interrupted by a crash can be recovered.
    /// - Returns: the folder.
    /// - Throws: what the file system throws.
    func begin(_ record: CaptureRecord) throws -> FilePath

    /// Files a finished shot; once this returns, it survives a power cut.
    ///
    /// - Parameters:
    ///   - result: the shot.
    ///   - record: its record.
    /// - Returns: the final paths, the still first.
    /// - Throws: errors of the store or the file system; the files then stay where they were written.
    func file(_ result: CaptureResult, _ record: CaptureRecord) throws -> [Path]

    /// Removes a failed shot's leftovers.
    func discard(_ record: CaptureRecord) throws
}

/// Files shots into the queue, from which they are synced.
package final class QueueDestination: CaptureDestination {
    /// In a shot's folder, locked while it is being taken: another process that opens the queue leaves it alone.
    static let lockName = "lock"
    /// Retries every 10 ms.
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

    /// The folder below the queue's root with the folders of shots in progress.
    static func workFolder(of store: AgentStore) -> Path { store.root.appending("capturing") }

    /// Creates `capturing/<asset id>/`.
    ///
    /// A box being retired takes no shots. The folder comes first: a shot admitted here is seen when the list of what
    /// is left is closed.
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

    /// Creates the entry.
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
            // Its files are kept for the next recovery.
            release(record)
            guard let error = error as? AgentStoreError, error.code == .full else { throw error }
            RefusedCapture(
                time: Box.now(),
                byteCount: result.resources.reduce(0) { $0 + $1.file.byteCount }
            ).remember(in: store)
            throw error
        }
        // Another process running recovery will remove the rest.
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

    /// Creates a shot's folder and locks it for this process.
    private func lock(_ record: CaptureRecord, _ folder: Path) throws {
        for _ in 1...Self.attempts {
            do throws(PersistenceError) {
                try fileSystem.createDirectories(folder)
                let lock = try fileSystem.lock(folder.appending(Self.lockName))
                // A process running recovery removed the folder between the two.
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
    /// The asset's manifest, without its resources yet.
    ///
    /// - Parameters:
    ///   - captureTime: when it was captured.
    ///   - isLivePhoto: whether it has its movie.
    ///   - isIncomplete: whether its movie is missing.
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
    /// Removes a folder and its files, if it exists.
    func removeFiles(of folder: Path) throws {
        guard try status(folder) != nil else { return }
        for name in try list(folder) { try unlink(folder.appending(name)) }
        try removeDirectory(folder)
    }
}
