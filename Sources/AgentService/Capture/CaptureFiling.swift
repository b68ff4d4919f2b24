import AgentStore
package import Capture
import LibraryAPI
package import Persistence
package import PhotoModel
package import SystemPackage

/// Where the files of a shot go once it is over.
package protocol CaptureFiling: Sendable {
    /// Where the files of a shot are written first: on the file system where they will stay.
    func workFolder(for id: AssetID) throws -> FilePath

    /// Puts a finished shot in its place; when this returns, it survives a power cut.
    ///
    /// - Returns: where the files are now, the still first.
    func file(_ result: CaptureResult) throws -> [Path]
}

/// Puts shots into the queue, from where they are synchronised.
struct QueueFiling: CaptureFiling {
    let store: AgentStore
    let limits: SpaceLimits
    let album: String?

    private var capturing: Path { store.root.appending("capturing") }

    func workFolder(for id: AssetID) throws -> FilePath {
        let folder = capturing.appending(id.description)
        try PosixFileSystem().createDirectories(folder)
        return FilePath(folder.text)
    }

    func file(_ result: CaptureResult) throws -> [Path] {
        var manifest = AssetManifest(
            id: result.id,
            mediaType: .image,
            mediaSubtypes: result.movie == nil ? [] : .photoLive,
            captureTime: result.frame.captureTime,
            desiredAlbum: album.map { .title($0) },
            resources: []
        )
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
        try PosixFileSystem().removeDirectory(capturing.appending(result.id.description))
        return entry.manifest.resources.map { store.file(of: $0, in: result.id) }
    }
}

/// Puts shots into a folder of the caller's, named by their time; nothing is queued.
struct FolderFiling: CaptureFiling {
    let folder: Path
    private let fileSystem = PosixFileSystem()

    func workFolder(for id: AssetID) throws -> FilePath {
        let work = folder.appending(".\(id)")
        try fileSystem.createDirectories(work)
        return FilePath(work.text)
    }

    func file(_ result: CaptureResult) throws -> [Path] {
        let suffix = try freeSuffix(for: result)
        let paths = result.resources.map { resource in
            folder.appending(Self.name(of: resource, suffix: suffix))
        }
        for (resource, path) in zip(result.resources, paths) {
            try fileSystem.rename(Path(resource.file.path.string), to: path)
        }
        try fileSystem.synchronizeDirectory(folder)
        try fileSystem.removeDirectory(folder.appending(".\(result.id)"))
        return paths
    }

    /// What keeps a pair's shared name apart from files that are there already: nothing, or `-2`, `-3` and so on.
    private func freeSuffix(for result: CaptureResult) throws -> String {
        for number in 1...10_000 {
            let suffix = number == 1 ? "" : "-\(number)"
            let isFree = try result.resources.allSatisfy {
                try fileSystem.status(folder.appending(Self.name(of: $0, suffix: suffix))) == nil
            }
            if isFree { return suffix }
        }
        throw AgentError(.failed, "\(folder) has 10,000 files of this moment: choose another folder")
    }

    private static func name(of resource: CaptureResult.Resource, suffix: String) -> String {
        let name = resource.originalFilename?.displayText ?? "\(resource.file.digest)"
        let stem = resource.originalFilename.map { String(decoding: $0.stem, as: UTF8.self) } ?? name
        return stem + suffix + name.dropFirst(stem.count)
    }
}
