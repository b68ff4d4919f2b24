import CVips
import Glibc
import MediaFormats
import MediaWorker
import PhotoModel

/// What to decode of a still's file: the file itself, or a raw photo's embedded preview.
enum StillInput {
    /// The whole file; the size is a raw photo's own, as shown: what is decoded of it may be its thumbnail.
    case file(Int32, size: PixelSize?)
    /// A raw photo's JPEG preview, to be rotated clockwise, with the same size.
    case preview([UInt8], quarterTurns: Int, size: PixelSize?)

    /// The largest preview read into memory, in bytes.
    private static let largestPreview = 64 << 20
    private static let tiffHeadByteCount = 4 << 20

    /// Examines a file; one without a preview is decoded itself.
    ///
    /// - Throws: `unsupported` if all that the file has to show is a sensor's mosaic.
    init(_ descriptor: Int32) throws(MediaFailure) {
        let source = DescriptorSource(descriptor)
        guard Self.isRaw(source), let raw = try? RawFile(source) else {
            self = .file(descriptor, size: nil)
            return
        }
        guard let range = raw.preview,
            let part = range.part(at: 0, length: min(range.length, Self.largestPreview)),
            let preview = try? source.bytes(in: part)
        else {
            guard !raw.isMosaic else { throw MediaFailure(.unsupported, "a raw photo without a preview") }
            self = .file(descriptor, size: raw.pixelSize)
            return
        }
        let still = try? preview.withBytes { bytes throws(MediaFormatError) in try StillMetadata(bytes) }
        // A preview with its own orientation is rotated by its decoder; one that is already upright is left alone.
        let isTurned = (still?.orientation ?? .up) != .up || Self.isUpright(still?.storedSize, of: raw)
        let turns = isTurned ? 0 : Self.quarterTurns(raw.orientation)
        self = .preview(preview, quarterTurns: turns, size: raw.pixelSize)
    }

    /// The source that libvips reads.
    func source() throws(MediaFailure) -> PictureSource {
        switch self {
        case .file(let descriptor, _): try PictureSource(descriptor)
        case .preview(let bytes, _, _): try PictureSource(copying: bytes)
        }
    }

    /// Applies the rotation that the decoder could not know.
    func turned(_ picture: consuming Picture) throws(MediaFailure) -> Picture {
        guard case .preview(_, let turns, _) = self, turns != 0 else { return picture }
        return try picture.inMemory().turned(quarters: turns).inMemory()
    }

    /// The photo's size as shown, if it differs from the decoded picture's.
    var size: PixelSize? {
        switch self {
        case .file(_, let size), .preview(_, _, let size): size
        }
    }

    private static func isRaw(_ source: DescriptorSource) -> Bool {
        guard let mark = try? source.head(RawPhoto.markedByteCount), mark.count >= 4 else { return false }
        if mark.withBytes({ RawPhoto.markedMediaType($0) }) != nil { return true }
        guard [[0x49, 0x49, 0x2A, 0], [0x4D, 0x4D, 0, 0x2A]].contains(Array(mark.prefix(4))) else { return false }
        let head = try? source.head(tiffHeadByteCount)
        return head?.withBytes { RawPhoto.mediaType(ofTIFF: $0) } != nil
    }

    /// Whether the camera has already rotated the preview relative to the sensor.
    private static func isUpright(_ preview: PixelSize?, of raw: RawFile) -> Bool {
        guard raw.orientation.isTransposed, let preview, let stored = raw.storedSize else { return false }
        return (preview.width > preview.height) != (stored.width > stored.height)
    }

    /// Cameras do not mirror.
    private static func quarterTurns(_ orientation: ImageOrientation) -> Int {
        switch orientation {
        case .right: 1
        case .down: 2
        case .left: 3
        default: 0
        }
    }
}

/// A file as a source for the media format readers; every read blocks.
private struct DescriptorSource: ByteSource {
    let byteCount: Int
    private let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        byteCount = max(0, Int(lseek(descriptor, 0, SEEK_END)))
    }

    /// Returns fewer bytes than requested at the end of the file.
    func bytes(in range: FileRange) throws -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: range.length) { buffer, count in
            while count < range.length {
                let raw = UnsafeMutableRawBufferPointer(buffer)
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: raw[count...])
                let read = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(range.offset + count))
                guard read > 0 else { return }
                count += read
            }
        }
    }
}
