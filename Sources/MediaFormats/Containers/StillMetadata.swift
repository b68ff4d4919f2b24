package import PhotoModel

/// A still picture's metadata, whatever its container.
package struct StillMetadata: Hashable, Sendable {
    /// The containers read here; HEIC and AVIF are ISO-BMFF and read there.
    package enum Container: String, Hashable, Sendable, CaseIterable {
        /// JPEG (ITU-T T.81).
        case jpeg
        /// PNG.
        case png
        /// WebP (RFC 9649).
        case webp
        /// TIFF 6.0, including DNG.
        case tiff
    }

    /// The container.
    package let container: Container
    /// The stored size, before the orientation is applied; nil if the container does not tell.
    package internal(set) var storedSize: PixelSize?
    /// Whether it has several frames.
    package internal(set) var isAnimated = false
    /// EXIF; nil if absent or unreadable.
    package internal(set) var exif: ExifMetadata?
    /// XMP; nil if absent or unreadable.
    package internal(set) var xmp: XMPProperties?
    /// IPTC's older form; nil if absent.
    package internal(set) var iptc: IPTCRecord?
    /// What could not be read, and why; a photo is not refused for its metadata.
    package internal(set) var problems: [MediaFormatError] = []

    /// How to rotate the picture, from EXIF, else XMP; upright if neither says.
    package var orientation: ImageOrientation {
        exif?.orientation ?? xmp?.orientationCode.flatMap(ImageOrientation.init(rawValue:)) ?? .up
    }

    /// The size as shown.
    package var pixelSize: PixelSize? {
        orientation.isTransposed ? storedSize?.transposed : storedSize
    }

    /// The identifier that joins the still with the movie of a Live Photo.
    package var contentIdentifier: ContentIdentifier? { exif?.appleMakerNote?.contentIdentifier }

    /// The metadata of all forms combined.
    package var metadata: PictureMetadata { PictureMetadata(exif: exif, xmp: xmp, iptc: iptc) }
}

extension StillMetadata {
    /// Detects the container from the first bytes; nil for any other.
    package static func container(of bytes: RawSpan) -> Container? {
        switch try? bytes.integer(at: 0, as: UInt32.self) {
        case nil: return nil
        case let head? where head >> 8 == 0xFF_D8FF: return .jpeg
        case 0x8950_4E47: return .png
        case 0x4949_2A00, 0x4D4D_002A: return .tiff
        default: return bytes.hasPrefix("RIFF") && bytes.hasPrefix("WEBP", at: 8) ? .webp : nil
        }
    }

    /// Reads a file's metadata; of a JPEG the beginning up to the first scan is enough: `truncated` means that more is
    /// needed.
    ///
    /// Image data is never copied, and for a JPEG not even read.
    ///
    /// - Throws: `unrecognizedFormat` for other containers, and errors of reading the container.
    package init(_ bytes: RawSpan, limits: ParseLimits = .standard) throws(MediaFormatError) {
        guard let container = Self.container(of: bytes) else {
            throw MediaFormatError(.unrecognizedFormat, "not a JPEG, PNG, WebP or TIFF file", at: 0)
        }
        self.container = container
        switch container {
        case .jpeg:
            let header = try JPEGHeader(bytes, limits: limits)
            storedSize = header.pixelSize
            readExif(header.exifBlocks(in: bytes), in: bytes, limits: limits)
            readXMP(header.xmpPackets(in: bytes), in: bytes, limits: limits)
            for resources in header.photoshopBlocks(in: bytes) where iptc == nil {
                readIPTC(PhotoshopResources.iptcBlock(in: resources, of: bytes), in: bytes, limits: limits)
            }
        case .png:
            let file = try PNGFile(bytes, limits: limits)
            storedSize = file.pixelSize
            readExif(file.exifBlocks, in: bytes, limits: limits)
            readXMP(file.xmpPackets(in: bytes), in: bytes, limits: limits)
        case .webp:
            let file = try WebPFile(bytes, limits: limits)
            storedSize = file.pixelSize
            isAnimated = file.isAnimated
            readExif(file.exifBlocks(in: bytes), in: bytes, limits: limits)
            readXMP(file.xmpPackets, in: bytes, limits: limits)
        case .tiff:
            let file = try TIFFFile(bytes, limits: limits)
            storedSize = file.pixelSize
            exif = ExifMetadata(file.structure, in: bytes)
            problems += file.structure.problems
            readXMP(file.xmpPacket.map { [$0] } ?? [], in: bytes, limits: limits)
            readIPTC(file.structure.iptcBlock(in: bytes), in: bytes, limits: limits)
        }
    }

    /// Reads the first readable block.
    private mutating func readExif(_ blocks: [FileRange], in bytes: RawSpan, limits: ParseLimits) {
        for block in blocks where exif == nil {
            do throws(MediaFormatError) {
                let structure = try TIFFStructure(bytes, block: block, limits: limits)
                exif = ExifMetadata(structure, in: bytes)
                problems += structure.problems
            } catch {
                problems.append(error)
            }
        }
    }

    private mutating func readIPTC(_ block: FileRange?, in bytes: RawSpan, limits: ParseLimits) {
        if let block { iptc = IPTCRecord(bytes, block: block, limits: limits) }
    }

    /// Reads the first readable packet.
    private mutating func readXMP(_ packets: [FileRange], in bytes: RawSpan, limits: ParseLimits) {
        for packet in packets where xmp == nil {
            do throws(MediaFormatError) {
                xmp = try XMPProperties(bytes, packet: packet, limits: limits)
            } catch {
                problems.append(error)
            }
        }
    }
}
