/// The type of a file, detected from its first bytes and never from its name.
package enum ContentType: String, Hashable, Sendable, CaseIterable {
    /// JPEG (ITU-T T.81).
    case jpeg
    /// PNG (ISO/IEC 15948).
    case png
    /// HEIF with HEVC pictures.
    case heic
    /// HEIF with pictures of another or an unnamed codec.
    case heif
    /// HEIF with AV1 pictures.
    case avif
    /// WebP (RFC 9649).
    case webP
    /// JPEG XL (ISO/IEC 18181).
    case jpegXL
    /// Adobe Digital Negative, a TIFF with sensor data.
    case dng
    /// TIFF 6.0.
    case tiff
    /// GIF 87a or 89a.
    case gif
    /// A QuickTime movie.
    case quickTimeMovie
    /// An MP4 movie, also 3GP and M4V.
    case mpeg4Movie
    /// Anything else: stored unchanged, never decoded.
    case opaque

    /// How many leading bytes suffice for detection; a DNG whose first directory lies further back is detected as a
    /// TIFF.
    package static let sniffedByteCount = 4096

    /// The media type (RFC 6838) that a file of this type is served with.
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .heic: "image/heic"
        case .heif: "image/heif"
        case .avif: "image/avif"
        case .webP: "image/webp"
        case .jpegXL: "image/jxl"
        case .dng: "image/x-adobe-dng"
        case .tiff: "image/tiff"
        case .gif: "image/gif"
        case .quickTimeMovie: "video/quicktime"
        case .mpeg4Movie: "video/mp4"
        case .opaque: "application/octet-stream"
        }
    }

    /// The preferred file name extension, without the dot; empty for ``opaque``, which keeps its own.
    package var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .webP: "webp"
        case .jpegXL: "jxl"
        case .tiff: "tif"
        case .quickTimeMovie: "mov"
        case .mpeg4Movie: "mp4"
        case .opaque: ""
        case .png, .heic, .heif, .avif, .dng, .gif: rawValue
        }
    }

    /// Whether it is a movie.
    package var isMovie: Bool { mediaType.hasPrefix("video/") }
}

extension ContentType {
    /// Detects the type from a file's first bytes, of which ``sniffedByteCount`` are enough; never fails.
    package init(sniffing bytes: RawSpan) {
        if bytes.hasPrefix("RIFF") && bytes.hasPrefix("WEBP", at: 8) {
            self = .webP
        } else if GIFFile.isBeginning(bytes) {
            self = .gif
        } else if JPEGXLFile.isBeginning(bytes) {
            self = .jpegXL
        } else if Self.begins(bytes, with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if Self.begins(bytes, with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            self = Self.baseMedia(bytes) ?? Self.tiff(bytes) ?? .opaque
        }
    }

    private static func begins(_ bytes: RawSpan, with expected: [UInt8]) -> Bool {
        expected.indices.allSatisfy { (try? bytes.byte(at: $0)) == expected[$0] }
    }
}

extension ContentType {
    private static let heicBrands: Set<FourCharacterCode> = ["heic", "heix", "heim", "heis", "hevc", "hevx"]
    private static let avifBrands: Set<FourCharacterCode> = ["avif", "avis"]
    private static let heifBrands: Set<FourCharacterCode> = ["mif1", "msf1", "mif2", "msf2", "miaf"]
    private static let soundBrands: Set<FourCharacterCode> = ["M4A ", "M4B ", "M4P ", "F4A "]
    private static let movieBrands: Set<FourCharacterCode> = [
        "isom", "iso2", "iso3", "iso4", "iso5", "iso6", "iso7", "iso8", "iso9", "mp41", "mp42", "avc1", "hvc1", "av01",
        "M4V ", "M4VH", "M4VP", "MSNV", "dash", "f4v ", "F4V ", "XAVC", "mmp4", "cmfc", "cmff",
        "isml", "CAEP", "caqv", "niko", "pana", "MQT ", "mqt ", "NDSC", "KDDI", "ssc1", "ssc2",
    ]
    /// Boxes that an old QuickTime movie may begin with instead of `ftyp`.
    private static let leadingMovieBoxes: Set<FourCharacterCode> = ["moov", "mdat", "wide", "free", "skip", "pnot"]

    /// Detects a file of boxes by its brands: the major one first, then any known compatible brand.
    private static func baseMedia(_ bytes: RawSpan) -> ContentType? {
        guard let header = try? Box(header: bytes, at: 0, endOfContainer: .max) else { return nil }
        guard header.type == "ftyp" else {
            return leadingMovieBoxes.contains(header.type) ? .quickTimeMovie : nil
        }
        let payload = FileRange(header.headerLength..<min(header.range.end, bytes.byteCount))
        let brands = FileTypeBrands(bytes, payload: payload).all
        if let known = brands.lazy.compactMap(type).first { return known }
        return heifBrands.isDisjoint(with: brands) ? .opaque : .heif
    }

    private static func type(_ brand: FourCharacterCode) -> ContentType? {
        if brand == "qt  " { return .quickTimeMovie }
        if avifBrands.contains(brand) { return .avif }
        if heicBrands.contains(brand) { return .heic }
        if soundBrands.contains(brand) { return .opaque }
        if movieBrands.contains(brand) || brand.description.hasPrefix("3g") { return .mpeg4Movie }
        return nil
    }
}

extension ContentType {
    private static let dngVersionTag: UInt16 = 0xC612

    /// Detects a TIFF by its header, a DNG by the version tag of its first directory (DNG 1.7, "DNGVersion").
    private static func tiff(_ bytes: RawSpan) -> ContentType? {
        let order: ByteOrder
        if bytes.hasPrefix("MM\0*") {
            order = .bigEndian
        } else if bytes.hasPrefix("II*\0") {
            order = .littleEndian
        } else {
            return nil
        }
        // Canon's CR2 has a signature after the header; it is a format of its own that nothing here decodes.
        if bytes.hasPrefix("CR", at: 8) { return .opaque }
        guard let offset = (try? bytes.integer(at: 4, order, as: UInt32.self)).map(Int.init),
            let count = try? bytes.integer(at: offset, order, as: UInt16.self)
        else { return .tiff }
        for entry in 0..<Int(count) {
            guard let tag = try? bytes.integer(at: offset + 2 + 12 * entry, order, as: UInt16.self),
                tag <= dngVersionTag
            else { break }
            if tag == dngVersionTag { return .dng }
        }
        return .tiff
    }
}
