package import LibraryAPI
import MediaFormats
package import Persistence
package import PhotoModel

/// The files of one asset, with their description for the library.
///
/// It is identified by its primary bytes, so that an import can be interrupted, repeated, or run on two machines without
/// duplicates.
package struct ImportableAsset: Sendable {
    /// One resource and its bytes.
    package struct Part: Sendable {
        /// The place of the bytes.
        package enum Content: Sendable {
            /// All of a file.
            case file(Path)
            /// In memory: a movie that lay inside another file.
            case bytes([UInt8])
        }

        /// The resource.
        package let resource: AssetResource
        /// The place of its bytes.
        package let content: Content

        /// The same bytes, under their original name if the extensions match.
        func named(_ name: FileName) -> Self {
            func ending(_ name: FileName) -> [UInt8] { name.bytes[name.stem.count...].asciiLowercased }
            guard let own = resource.originalFilename, ending(own) == ending(name) else { return self }
            let renamed = AssetResource(
                id: resource.id,
                type: resource.type,
                digest: resource.digest,
                byteCount: resource.byteCount,
                contentType: resource.contentType,
                originalFilename: name
            )
            return Self(resource: renamed, content: content)
        }
    }

    /// A longer movie inside a Motion Photo is not extracted; in bytes.
    private static let largestEmbeddedMovie = 64 << 20

    /// The asset's description.
    package private(set) var manifest: AssetManifest
    /// The same from the files alone, without a sidecar.
    private(set) var embedded: AssetManifest
    /// Its bytes, the primary ones first.
    package let parts: [Part]
    /// The capture date that a sidecar sets instead of the file's; nil if it sets none.
    package private(set) var captureDateOverride: WallTime?
    /// Why its sidecar could not be read; nil if it could.
    package private(set) var unreadable: MediaCollection.Remark?

    /// Describes a group of files, reads them, and hashes those without a digest; blocks.
    ///
    /// - Throws: `PersistenceError` if a file cannot be read.
    package init(
        _ group: MediaCollection.Group,
        primaryDigest: ContentDigest? = nil,
        digests: [Path: ContentDigest] = [:],
        album: DesiredAlbum?,
        in fileSystem: any FileSystem
    ) throws {
        let primary = group.primary
        var parts = [try Self.part(primary, primary.kind.type, digest: primaryDigest, in: fileSystem)]
        if let movie = group.movie {
            parts.append(try Self.part(movie, .pairedVideo, digest: digests[movie.path], in: fileSystem))
        } else if let embedded = try Self.embeddedMovie(of: primary, in: fileSystem) {
            parts.append(embedded)
        }
        let isLive = parts.count > 1
        if let raw = group.raw {
            parts.append(try Self.part(raw, .alternatePhoto, digest: digests[raw.path], in: fileSystem))
        }
        if let adjustment = group.adjustment {
            parts.append(try Self.part(adjustment, digest: digests[adjustment.path], in: fileSystem))
        }
        if let edit = group.edit {
            let type: AssetResourceType = primary.kind.type == .video ? .fullSizeVideo : .fullSizePhoto
            parts.append(try Self.part(edit, type, digest: digests[edit.path], in: fileSystem))
        }
        if let movie = group.editedMovie {
            parts.append(try Self.part(movie, .fullSizePairedVideo, digest: digests[movie.path], in: fileSystem))
        }
        parts = Self.unique(parts)
        if let name = group.told?.originalName { parts[0] = parts[0].named(name) }
        self.parts = parts
        var manifest = AssetManifest(
            id: .derived(from: parts[0].resource.digest),
            mediaType: primary.kind.mediaType,
            mediaSubtypes: isLive ? primary.subtypes.union(.photoLive) : primary.subtypes,
            captureTime: primary.captureTime,
            desiredAlbum: album,
            resources: parts.map(\.resource)
        )
        if primary.isAnimated, !isLive { manifest.playbackStyle = .imageAnimated }
        manifest.pixelSize = primary.pixelSize
        manifest.location = primary.location ?? group.raw?.location ?? group.movie?.location
        manifest.durationMicroseconds = (primary.duration ?? group.movie?.duration).map(AssetManifest.microseconds)
        manifest.burst = primary.burst
        self.manifest = manifest
        embedded = manifest
        take(primary.words)
        embedded = self.manifest
        if let told = group.told {
            take(told, beside: primary)
        } else if let sidecar = group.sidecar {
            try read(sidecar, in: fileSystem)
        }
    }

    /// Parts with distinct bytes: an export may write an edit that is equal to the original.
    private static func unique(_ parts: [Part]) -> [Part] {
        var digests: Set<ContentDigest> = []
        return parts.filter { digests.insert($0.resource.digest).inserted }
    }

    /// The digest of one of its files; nil for any other file.
    package func digest(of file: Path) -> ContentDigest? {
        let part = parts.first { part in
            guard case .file(let path) = part.content else { return false }
            return path == file
        }
        return part?.resource.digest
    }

    /// Applies people's texts in the file; those beyond the library's limits are dropped.
    private mutating func take(_ words: PictureWords) {
        func within(_ text: String?, _ limit: Int) -> String? {
            text.flatMap { SidecarContent.isWithin($0, limit) ? $0 : nil }
        }
        manifest.title = within(words.title, APILimits.titleByteCount) ?? manifest.title
        manifest.caption = within(words.caption, APILimits.captionByteCount) ?? manifest.caption
        manifest.placeName = within(words.placeName, APILimits.placeNameByteCount) ?? manifest.placeName
        let keywords = Set(words.keywords.compactMap { Keyword($0) }).sorted().prefix(APILimits.keywordCount)
        if !keywords.isEmpty { manifest.keywords = Array(keywords) }
        manifest.rating = words.rating.flatMap { Rating(rawValue: $0) } ?? manifest.rating
    }

    /// Applies people's texts in a sidecar; those beyond the library's limits are dropped.
    private mutating func read(_ sidecar: NamedFile, in fileSystem: any FileSystem) throws {
        let words: XMPProperties
        switch try XMPSidecar.read(sidecar.path, in: fileSystem) {
        case .success(let properties): words = properties
        case .failure(let problem):
            unreadable = MediaCollection.Remark(path: sidecar.displayPath, reason: problem.reason)
            return
        }
        // A sidecar is written after the photo, instead of changing it: each of its fields takes precedence.
        take(PictureWords(xmp: words, iptc: nil, exif: nil))
        manifest.isFavorite = XMPSidecar.isFavourite(words) ? true : nil
        take(words.location)
        let isUndated = manifest.captureTime.source == .fileModification
        if let time = words.captureTime ?? (isUndated ? words.captureDay : nil) {
            let offset = time.utcOffsetSeconds ?? manifest.captureTime.utcOffsetSeconds ?? 0
            take(date: time.instant(assumingUTCOffsetSeconds: offset))
        }
    }

    /// Applies an export's description: it adds to the file's keywords, and takes precedence over its other texts.
    private mutating func take(_ told: SidecarContent, beside file: MediaFile) {
        var words = PictureWords()
        words.title = told.title
        words.caption = told.caption
        words.placeName = told.placeName
        words.rating = told.rating
        words.keywords = told.keywords + told.people
        if !words.keywords.isEmpty { words.keywords += manifest.keywords?.map(\.text) ?? [] }
        take(words)
        if told.isFavorite { manifest.isFavorite = true }
        take(told.location)
        guard let date = told.captureDate else { return }
        if let time = file.time, time.utcOffsetSeconds == nil, let offset = Self.utcOffsetSeconds(of: time, at: date) {
            // Both are right: the file has the local time, the export the instant.
            manifest.captureTime.wall = time.instant(assumingUTCOffsetSeconds: offset)
            manifest.captureTime.utcOffsetSeconds = offset
        } else {
            take(date: date)
        }
    }

    /// The UTC offset at which a local time is an instant, in seconds east; nil if no zone has it.
    private static func utcOffsetSeconds(of time: CivilTime, at instant: WallTime) -> Int? {
        let difference = time.instant(assumingUTCOffsetSeconds: 0).duration(since: instant) / .seconds(900)
        let quarters = difference.rounded()
        // Exports have whole seconds.
        guard abs(difference - quarters) * 900 < 1, -48...56 ~= quarters else { return nil }
        return Int(quarters) * 900
    }

    /// Applies a place, unless it is a filler.
    private mutating func take(_ place: Location?) {
        if let place, !place.isFiller { manifest.location = place }
    }

    /// Applies a date that differs from the file's; sidecars often have whole seconds, which is not a difference.
    ///
    /// Ignores the date of a clock that nobody set.
    private mutating func take(date: WallTime) {
        let difference = date.duration(since: manifest.captureTime.wall)
        if abs(difference / .seconds(1)) >= 1, !date.isClockZero { captureDateOverride = date }
    }

    private static func part(
        _ file: MediaFile,
        _ type: AssetResourceType,
        digest known: ContentDigest? = nil,
        in fileSystem: any FileSystem
    ) throws -> Part {
        let digest = try known ?? file.digest ?? ContentHasher.digest(file.path, in: fileSystem).digest
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

    /// How an edit was made, kept unchanged beside the original.
    private static func part(
        _ adjustment: NamedFile,
        digest known: ContentDigest?,
        in fileSystem: any FileSystem
    ) throws -> Part {
        let digest = try known ?? ContentHasher.digest(adjustment.path, in: fileSystem).digest
        let resource = AssetResource(
            id: .derived(from: digest),
            type: .adjustmentData,
            digest: digest,
            byteCount: Int64(adjustment.facts?.byteCount ?? 0),
            contentType: "application/x-apple-adjustment-data",
            originalFilename: adjustment.name
        )
        return Part(resource: resource, content: .file(adjustment.path))
    }

    /// The movie inside a Motion Photo, as a resource beside the unchanged file.
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
