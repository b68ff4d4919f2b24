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

        /// The same bytes, under the name that they had where the names match in their endings.
        func named(_ name: FileName) -> Self {
            func ending(_ name: FileName) -> [UInt8] {
                Array(name.bytes[name.stem.count...]).map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
            }
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
    /// Why its sidecar could not be read; nil if it could.
    package private(set) var unreadable: MediaCollection.Remark?

    /// Describes a group of files; reads and hashes them, and blocks.
    ///
    /// - Parameters:
    ///   - group: the files.
    ///   - primaryDigest: the digest of its primary file, where the caller has hashed that already.
    ///   - digests: of its other files, as far as the caller has hashed them already.
    ///   - album: the album that the asset is to join.
    ///   - fileSystem: where they are read.
    /// - Throws: `PersistenceError` for what cannot be read.
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
        manifest.pixelSize = primary.pixelSize
        manifest.location = primary.location ?? group.raw?.location ?? group.movie?.location
        manifest.durationMicroseconds = (primary.duration ?? group.movie?.duration).map(AssetManifest.microseconds)
        manifest.burst = primary.burst.map { BurstMembership(id: $0) }
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

    /// Parts of which none has another's bytes: an export writes an edit, too, where nothing was edited.
    private static func unique(_ parts: [Part]) -> [Part] {
        var digests: Set<ContentDigest> = []
        return parts.filter { digests.insert($0.resource.digest).inserted }
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
            take(date: time.instant(assumingUTCOffsetSeconds: offset))
        }
    }

    /// Takes what an export says of a file: it adds to the file's own keywords, and goes before its other words.
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
        manifest.location = told.location ?? manifest.location
        guard let date = told.captureDate else { return }
        if let time = file.time, time.utcOffsetSeconds == nil, let offset = Self.utcOffsetSeconds(of: time, at: date) {
            // Both are right: the file has the clock on the wall, the export the instant.
            manifest.captureTime.wall = time.instant(assumingUTCOffsetSeconds: offset)
            manifest.captureTime.utcOffsetSeconds = offset
        } else {
            take(date: date)
        }
    }

    /// Seconds east of UTC where a clock showed a time at an instant; nil where no zone has them.
    private static func utcOffsetSeconds(of time: CivilTime, at instant: WallTime) -> Int? {
        let difference = time.instant(assumingUTCOffsetSeconds: 0).duration(since: instant) / .seconds(900)
        let quarters = difference.rounded()
        // Exports have whole seconds.
        guard abs(difference - quarters) * 900 < 1, -48...56 ~= quarters else { return nil }
        return Int(quarters) * 900
    }

    /// Takes a date that differs from the file's; sidecars often have whole seconds only, which is no other date.
    private mutating func take(date: WallTime) {
        let difference = date.duration(since: manifest.captureTime.wall)
        if abs(difference / .seconds(1)) >= 1 { captureDateOverride = date }
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
