import AgentStore
import LibraryAPI
import MediaFormats
import Persistence
import PhotoModel

extension AssetCreationRequest {
    /// Bytes of all resources.
    ///
    /// - Throws: `invalid` for a file that is longer than a library takes.
    func byteCount() throws -> Int64 {
        try resources.reduce(0) { sum, resource in
            switch resource.content {
            case .bytes(let bytes): return sum + Int64(bytes.count)
            case .file(let path):
                let count = try PosixFileSystem().status(path)?.byteCount ?? 0
                guard count <= AssetResource.maximumByteCount else {
                    throw PhotoLibraryError(.invalid, "\(path) is longer than a library takes")
                }
                return sum + count
            }
        }
    }

    /// The requested capture.
    ///
    /// - Parameters:
    ///   - now: the box's clock, for assets without a date.
    ///   - intake: where its files are staged.
    /// - Returns: the draft; media types are detected by content.
    /// - Throws: `invalid` without a photo, movie or sound.
    func draft(now: WallTime, in intake: Intake) throws -> CaptureDraft {
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
                isSynchronized: false
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
        var draft = CaptureDraft(manifest)
        for (index, resource) in resources.enumerated() { try append(resource, at: index, to: &draft, in: intake) }
        return draft
    }

    private func append(_ resource: Resource, at index: Int, to draft: inout CaptureDraft, in intake: Intake) throws {
        let head: [UInt8]
        let written: Intake.File
        var name = resource.options.originalFilename
        switch resource.content {
        case .bytes(let bytes):
            head = Array(bytes.prefix(ContentType.sniffedByteCount))
            written = try intake.write(bytes)
        case .file(let path):
            let file = try PosixFileSystem().open(path, .read)
            defer { try? file.close() }
            head = try file.read(ContentType.sniffedByteCount, at: 0)
            let transfer: Intake.Transfer = resource.options.shouldMoveFile ? .moveOrCopy : .copy
            written = try intake.stage(path, by: transfer, from: PosixFileSystem())
            name = name ?? FileName(path.name)
        }
        draft.append(
            written,
            // A repeated request has the same resources.
            id: ResourceID(rawValue: placeholder.id.rawValue &+ UInt128(index) &+ 1),
            type: resource.type,
            contentType: head.withBytes { ContentType(sniffing: $0) }.mediaType,
            originalFilename: name
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
