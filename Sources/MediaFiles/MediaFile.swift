import Glibc
import Host
package import MediaFormats
package import Persistence
package import PhotoModel

/// A photo, movie or sound in the file system, with its metadata.
package struct MediaFile: Sendable {
    /// The bytes read of a still for its metadata; enough for most.
    private static let headByteCount = 4 << 20
    /// The maximum read if the metadata is further back, as in large PNG and TIFF files.
    private static let longHeadByteCount = 64 << 20

    /// Why a file that no library takes is refused.
    static let tooLong = "it is longer than \(AssetResource.maximumByteCount >> 30) GiB, the most that a library takes"

    /// Its path and name.
    package let file: NamedFile
    /// Its kind, by its bytes.
    package private(set) var kind: FileKind
    /// Its length.
    package let byteCount: Int64
    /// Width and height as shown.
    package private(set) var pixelSize: PixelSize?
    /// How long the movie lasts.
    package private(set) var duration: Duration?
    /// Where it was taken.
    package private(set) var location: Location?
    /// When it was taken, by its own word.
    package private(set) var time: CivilTime?
    /// What joins the still and the movie of a Live Photo.
    package private(set) var contentIdentifier: ContentIdentifier?
    /// What people wrote into it.
    package private(set) var words = PictureWords()
    /// What more is known of it, as PhotoKit's bits.
    package private(set) var subtypes: MediaSubtypes = []
    /// Whether it is a picture of several frames.
    package private(set) var isAnimated = false
    /// The burst that it is of.
    package private(set) var burst: BurstMembership?
    /// The ranges of still and movie in a file with both.
    @Rare package private(set) var motionPhoto: MotionPhoto?
    /// The digest of its bytes, if examining it had all of them in memory; nil if it must be read for that.
    package private(set) var digest: ContentDigest?

    /// Examines a file; nil if it is not a photo, movie or sound.
    ///
    /// A description that cannot be read says nothing; the file is taken all the same.
    ///
    /// - Throws: `PersistenceError` if the file cannot be read, or is longer.
    package init?(_ file: NamedFile, upTo limit: Int64 = .max, in fileSystem: any FileSystem) throws {
        var source = try FileSource(file.path, in: fileSystem)
        let head = try source.head(FileKind.headByteCount)
        guard let kind = FileKind(head: head) else { return nil }
        guard source.byteCount <= limit else {
            throw PersistenceError(.damaged, "open", file.displayPath, Self.tooLong)
        }
        self.file = file
        self.kind = kind
        byteCount = Int64(source.byteCount)
        source.loadIfShort()
        switch kind.type {
        case .video:
            readMovie(source)
            isCutOff = Self.endsInsideBox(source)
        case .photo:
            readStill(source)
            motionPhoto = try? MotionPhoto(source)
            if kind.contentType == "image/jpeg", motionPhoto == nil { isCutOff = JPEGEnding.isMissing(in: source) }
            if kind.contentType.hasPrefix("image/hei") { isCutOff = Self.endsInsideBox(source) }
        default: break
        }
        // Inflating takes longer than hashing, and would have to be done again.
        if file.isArchived, source.byteCount <= ArchivedFile.windowByteCount {
            digest = try ContentHasher.digest(file.path, in: fileSystem).digest
        }
    }

    /// Looks at a file by its path, in the same way.
    ///
    /// - Throws: `PersistenceError` if the file cannot be read.
    package init?(_ path: Path, in fileSystem: any FileSystem) throws {
        guard let file = NamedFile(path) else { return nil }
        try self.init(file, in: fileSystem)
    }

    /// Where it can be opened.
    package var path: Path { file.path }

    /// Whether its bytes end before its own structure says that they do.
    package private(set) var isCutOff = false

    /// When it was taken: by its own word, else by the file's modification time.
    package var captureTime: CaptureTime {
        guard let time else {
            // Of a file in an archive, the archive alone knows.
            let modified = file.facts.map { Self.instant($0.modified.0, $0.modified.1) }
            return CaptureTime(wall: modified ?? Self.modified(path), source: .fileModification, isSynchronized: false)
        }
        // A camera that does not tell its offset most likely shows the same time as this box. The offset is kept: only with
        // it does the library show the file's own time, whatever zone the library is in.
        let offset = time.utcOffsetSeconds ?? HostClock.utcOffsetSeconds(at: time.instant(assumingUTCOffsetSeconds: 0))
        return CaptureTime(
            wall: time.instant(assumingUTCOffsetSeconds: offset),
            utcOffsetSeconds: offset,
            source: .fileMetadata,
            isSynchronized: false
        )
    }

    private mutating func readStill(_ source: FileSource) {
        if kind.contentType == "image/jxl" { return readJPEGXL(source) }
        if kind.contentType == "image/gif" { return readGIF(source) }
        guard ["image/heic", "image/heif", "image/avif"].contains(kind.contentType) else {
            return readContainer(source)
        }
        guard let image = try? HEIFImage(source) else { return }
        pixelSize = image.primaryProperties.displaySize
        take(image.metadata(from: source))
        if image.hasDepth { subtypes.insert(.photoDepthEffect) }
    }

    private mutating func readJPEGXL(_ source: FileSource) {
        guard let file = try? JPEGXLFile(source) else { return }
        pixelSize = file.pixelSize
        take(PictureMetadata(exif: file.exif, xmp: file.xmp))
    }

    private mutating func readGIF(_ source: FileSource) {
        let end = min(Self.headByteCount, source.byteCount)
        guard let head = try? source.bytes(in: FileRange(0..<end)),
            let file = try? head.withBytes({ bytes throws(MediaFormatError) in try GIFFile(bytes) })
        else { return }
        pixelSize = file.pixelSize
        isAnimated = file.isAnimated
    }

    private mutating func readRaw(_ source: FileSource) {
        guard let raw = try? RawFile(source) else { return }
        pixelSize = raw.pixelSize
        take(raw.metadata)
    }

    private mutating func readContainer(_ source: FileSource) {
        if kind.isRaw { return readRaw(source) }
        let isJPEG = kind.contentType == "image/jpeg"
        for byteCount in [Self.headByteCount, Self.longHeadByteCount] {
            let end = min(byteCount, source.byteCount)
            guard let head = try? isJPEG ? source.jpegHead(end) : source.head(end) else { return }
            if let mediaType = head.withBytes({ RawPhoto.mediaType(ofTIFF: $0) }) {
                kind = FileKind(raw: mediaType)
                return readRaw(source)
            }
            let still = try? head.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
            if let still {
                pixelSize = still.pixelSize
                isAnimated = still.isAnimated
                take(still.metadata)
            }
            // A JPEG that does not tell by then never does.
            if still?.pixelSize != nil || end == source.byteCount || isJPEG { return }
        }
    }

    private mutating func take(_ metadata: PictureMetadata) {
        location = metadata.location
        time = metadata.captureTime
        contentIdentifier = metadata.exif?.appleMakerNote?.contentIdentifier
        words = metadata.words
        burst = metadata.burst ?? NamedKind.burst(file.name)
        subtypes = metadata.subtypes(size: pixelSize)
        if metadata.exif?.make == nil, NamedKind.isScreenshot(file.name) { subtypes.insert(.photoScreenshot) }
    }

    private mutating func readMovie(_ source: FileSource) {
        guard let movie = try? Movie(source) else { return }
        pixelSize = movie.displaySize
        duration = movie.duration?.duration
        location = movie.location
        time = movie.creationDate
        contentIdentifier = movie.metadata.contentIdentifier
        words = movie.words
        subtypes = movie.subtypes
        if NamedKind.isScreenRecording(file.name) { subtypes.insert(.videoScreenRecording) }
        if NamedKind.isTimelapse(file.name) { subtypes.insert(.videoTimelapse) }
    }

    /// When a file's bytes last changed; now when it is gone.
    package static func modified(_ path: Path) -> WallTime {
        var status = stat()
        guard unsafe stat(path.systemBytes, &status) == 0 else { return HostClock.now() }
        return instant(status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// A file's time; some file systems store dates beyond all years.
    private static func instant(_ seconds: Int, _ nanoseconds: Int) -> WallTime {
        WallTime(microsecondsSince1970: 0).advanced(by: .seconds(seconds) + .nanoseconds(nanoseconds))
    }

    /// Whether the last box at the top of a file reaches beyond its end (ISO/IEC 14496-12, 4.2).
    private static func endsInsideBox(_ source: FileSource) -> Bool {
        var offset = 0
        for _ in 0..<10_000 where offset + 8 <= source.byteCount {
            guard let range = FileRange(offset: offset, length: min(16, source.byteCount - offset)),
                let head = try? source.bytes(in: range)
            else { return false }
            var length = Int(bigEndianBytes: head.prefix(4))
            if length == 0 { return false }
            if length == 1, head.count == 16 {
                length = Int(clamping: UInt64(bigEndianBytes: head[8...]))
            }
            let (end, overflow) = offset.addingReportingOverflow(max(length, 8))
            if overflow || end > source.byteCount { return true }
            offset = end
        }
        return false
    }
}
