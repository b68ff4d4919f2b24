import AgentStore
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel

extension AssetCreationRequest {
    /// The requested capture.
    ///
    /// - Parameter now: the box's clock, for assets without a date.
    /// - Returns: the draft; media types are detected by content.
    /// - Throws: `invalid` without a photo, movie or sound.
    func draft(now: WallTime) throws -> CaptureDraft {
        guard let primary = resources.first(where: { $0.type.isPrimary }) else {
            throw PhotoLibraryError(.invalid, "an asset needs a photo, a movie or a sound")
        }
        let isLive = primary.type == .photo && resources.contains { $0.type == .pairedVideo }
        var manifest = AssetManifest(
            id: placeholder.id,
            mediaType: primary.type == .video ? .video : primary.type == .audio ? .audio : .image,
            mediaSubtypes: isLive ? .photoLive : [],
            captureTime: CaptureTime(
                wall: creationDate ?? now,
                source: creationDate == nil ? .deviceClock : .fileMetadata,
                isSynchronized: creationDate != nil
            ),
            desiredAlbum: destination.map(DesiredAlbum.init),
            resources: []
        )
        manifest.location = location
        manifest.title = title
        manifest.caption = caption
        manifest.keywords = keywords.isEmpty ? nil : keywords.sorted()
        manifest.rating = rating == .unrated ? nil : rating
        manifest.isFavorite = isFavorite ? true : nil
        return CaptureDraft(manifest: manifest, resources: try resources.enumerated().map(draft))
    }

    private func draft(_ index: Int, _ resource: Resource) throws -> CaptureDraft.Resource {
        let head: [UInt8]
        let content: CaptureDraft.Resource.Content
        var name = resource.options.originalFilename
        switch resource.content {
        case .bytes(let bytes):
            head = Array(bytes.prefix(ContentType.sniffedByteCount))
            content = .bytes(bytes)
        case .file(let path):
            let file = try PosixFileSystem().open(path, .read)
            defer { try? file.close() }
            head = try file.read(ContentType.sniffedByteCount, at: 0)
            content = resource.options.shouldMoveFile ? .move(path) : .copy(path)
            name = name ?? FileName(path.name)
        }
        return CaptureDraft.Resource(
            // The same request has the same resources, whatever is repeated.
            id: ResourceID(rawValue: placeholder.id.rawValue &+ UInt128(index) &+ 1),
            type: resource.type,
            contentType: head.withBytes { ContentType(sniffing: $0) }.mediaType,
            originalFilename: name,
            content: content
        )
    }
}

extension DesiredAlbum {
    /// The destination in wire form.
    fileprivate init(_ destination: AssetCreationRequest.Destination) {
        self =
            switch destination {
            case .album(let id): .id(id)
            case .albumTitled(let title): .title(title)
            }
    }
}
