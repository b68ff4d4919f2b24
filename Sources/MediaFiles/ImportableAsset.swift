package import LibraryAPI
import MediaFormats
package import Persistence
package import PhotoModel

/// Files that make one asset, described as the library wants to know them.
///
/// It is known by its primary bytes, so that an import can be stopped, repeated, or made from two machines without a
/// second asset.
package struct ImportableAsset: Sendable {
    /// One resource, and where its bytes are.
    package struct Part: Sendable {
        /// Where the bytes are.
        package enum Content: Sendable {
            /// All of a file.
            case file(Path)
            /// In memory: a movie that lay inside another file.
            case bytes([UInt8])
        }

        /// What it is.
        package let resource: AssetResource
        /// Where its bytes are.
        package let content: Content
    }

    /// A longer movie inside a Motion Photo stays only there; in bytes.
    private static let largestEmbeddedMovie = 64 << 20

    /// What the asset is.
    package private(set) var manifest: AssetManifest
    /// The same as far as the files themselves say it, without a sidecar.
    private(set) var embedded: AssetManifest
    /// Its bytes, the primary ones first.
    package let parts: [Part]
    /// The capture date that a sidecar sets instead of the file's; nil where it sets none.
    package private(set) var captureDateOverride: WallTime?
    /// What is to be said of a sidecar from which nothing can be read; nil where there is none such.
    package private(set) var unreadable: MediaCollection.Remark?

    /// Describes a group of files; reads and hashes them, and blocks.
    ///
    /// - Parameters:
    ///   - group: the files.
    ///   - primaryDigest: the digest of its primary file, where the caller has hashed that already.
    ///   - album: the album that the asset is to join.
    ///   - fileSystem: where they are read.
    /// - Throws: `PersistenceError` for what cannot be read.
    package init(
        _ group: MediaCollection.Group,
        primaryDigest: ContentDigest? = nil,
        album: DesiredAlbum?,
        in fileSystem: any FileSystem
    ) throws {
        let primary = group.primary
        var parts = [try Self.part(primary, primary.kind.type, digest: primaryDigest, in: fileSystem)]
        if let movie = group.movie {
            parts.append(try Self.part(movie, .pairedVideo, in: fileSystem))
        } else if let embedded = try Self.embeddedMovie(of: primary, in: fileSystem) {
            parts.append(embedded)
        }
        let isLive = parts.count > 1
        if let raw = group.raw { parts.append(try Self.part(raw, .alternatePhoto, in: fileSystem)) }
        if let adjustment = group.adjustment { parts.append(try Self.part(adjustment, in: fileSystem)) }
        self.parts = parts
        var manifest = AssetManifest(
            id: .derived(from: parts[0].resource.digest),
            mediaType: primary.kind.mediaType,
            mediaSubtypes: isLive ? primary.subtypes.union(.photoLive) : primary.subtypes,
            captureTime: primary.captureTime,
            desiredAlbum: album,
            resources: parts.map(\.resource)
        )
        manifest.pixelSize = primary.pixelSize
        manifest.location = primary.location ?? group.raw?.location ?? group.movie?.location
        manifest.durationMicroseconds = (primary.duration ?? group.movie?.duration).map { Int64($0 / .microseconds(1)) }
        manifest.burst = primary.burst.map { BurstMembership(id: $0) }
        self.manifest = manifest
        embedded = manifest
        take(primary.words)
        embedded = self.manifest
        if let sidecar = group.sidecar { try read(sidecar, in: fileSystem) }
    }

    /// The digest of one of its files; nil for what is none of them.
    package func digest(of file: Path) -> ContentDigest? {
        let part = parts.first { part in
            guard case .file(let path) = part.content else { return false }
            return path == file
        }
        return part?.resource.digest
    }

    /// Takes what people wrote, where they wrote it; what is beyond the library's limits is left out.
    private mutating func take(_ words: PictureWords) {
        func within(_ text: String?, _ limit: Int) -> String? {
            text.flatMap { 1...limit ~= $0.utf8.count && !$0.utf8.contains(0) ? $0 : nil }
        }
        manifest.title = within(words.title, APILimits.titleByteCount) ?? manifest.title
        manifest.caption = within(words.caption, APILimits.captionByteCount) ?? manifest.caption
        manifest.placeName = within(words.placeName, APILimits.placeNameByteCount) ?? manifest.placeName
        let keywords = Set(words.keywords.compactMap { Keyword($0) }).sorted().prefix(APILimits.keywordCount)
        if !keywords.isEmpty { manifest.keywords = Array(keywords) }
        manifest.rating = words.rating.flatMap { Rating(rawValue: $0) } ?? manifest.rating
    }

    /// Takes what people wrote beside the file; what is beyond the library's limits is left out.
    private mutating func read(_ sidecar: NamedFile, in fileSystem: any FileSystem) throws {
        let words: XMPProperties
        switch try XMPSidecar.read(sidecar.path, in: fileSystem) {
        case .success(let properties): words = properties
        case .failure(let problem):
            unreadable = MediaCollection.Remark(path: sidecar.displayPath, reason: problem.reason)
            return
        }
        // A sidecar is written by whoever does not want to change the photo, after the photo: field by field it goes first.
        take(PictureWords(xmp: words, iptc: nil, exif: nil))
        manifest.isFavorite = XMPSidecar.isFavourite(words) ? true : nil
        manifest.location = words.location ?? manifest.location
        if let time = words.captureTime {
            let offset = time.utcOffsetSeconds ?? manifest.captureTime.utcOffsetSeconds ?? 0
            let instant = time.instant(assumingUTCOffsetSeconds: offset)
            // Sidecars often have whole seconds only: that is no other date.
            let difference = instant.duration(since: manifest.captureTime.wall)
            if abs(difference / .seconds(1)) >= 1 { captureDateOverride = instant }
        }
    }

    private static func part(
        _ file: MediaFile,
        _ type: AssetResourceType,
        digest known: ContentDigest? = nil,
        in fileSystem: any FileSystem
    ) throws -> Part {
        let digest = try known ?? ContentHasher.digest(file.path, in: fileSystem).digest
        let resource = AssetResource(
            id: .derived(from: digest),
            type: type,
            digest: digest,
            byteCount: file.byteCount,
            contentType: file.kind.contentType,
            originalFilename: file.file.name
        )
        return Part(resource: resource, content: .file(file.path))
    }

    /// How an edit was made, kept as it came beside the original.
    private static func part(_ adjustment: NamedFile, in fileSystem: any FileSystem) throws -> Part {
        let content = try ContentHasher.digest(adjustment.path, in: fileSystem)
        let resource = AssetResource(
            id: .derived(from: content.digest),
            type: .adjustmentData,
            digest: content.digest,
            byteCount: content.byteCount,
            contentType: "application/x-apple-adjustment-data",
            originalFilename: adjustment.name
        )
        return Part(resource: resource, content: .file(adjustment.path))
    }

    /// The movie inside a Motion Photo, as a resource beside the file, which stays as it is.
    private static func embeddedMovie(of file: MediaFile, in fileSystem: any FileSystem) throws -> Part? {
        guard let range = file.motionPhoto?.movie, range.length <= largestEmbeddedMovie else { return nil }
        let bytes = try FileSource(file.path, in: fileSystem).bytes(in: range)
        guard let kind = FileKind(head: Array(bytes.prefix(FileKind.headByteCount))), kind.type == .video else {
            return nil
        }
        let digest = ContentHasher.digest(bytes)
        let resource = AssetResource(
            id: .derived(from: digest),
            type: .pairedVideo,
            digest: digest,
            byteCount: Int64(bytes.count),
            contentType: kind.contentType
        )
        return Part(resource: resource, content: .bytes(bytes))
    }
}
