import CVips
import MediaFormats
import MediaWorker
import PhotoModel

/// A libvips picture: a recipe for pixels, which are computed on demand.
@safe
struct Picture: ~Copyable {
    private let image: UnsafeMutablePointer<VipsImage>

    private init(_ image: UnsafeMutablePointer<VipsImage>) { unsafe self.image = unsafe image }

    deinit { unsafe g_object_unref(image) }

    /// The stored width and height.
    var size: PixelSize {
        PixelSize(width: Int(unsafe vips_image_get_width(image)), height: Int(unsafe vips_image_get_height(image)))
    }

    /// Width and height as shown, with the orientation applied.
    var uprightSize: PixelSize { unsafe vips_image_get_orientation_swap(image) != 0 ? size.transposed : size }

    /// Its format, by the loader's name (`jpegload_source` and so on).
    var format: String {
        var name: UnsafePointer<CChar>?
        guard unsafe vips_image_get_string(image, VIPS_META_LOADER, &name) == 0, let name = unsafe name else {
            vips_error_clear()
            return "unknown"
        }
        let loader = unsafe String(cString: name)
        return ["jpeg", "heif", "png", "webp", "tiff", "jxl", "gif"].first { loader.hasPrefix($0) } ?? "unknown"
    }

    /// Opens a file without decoding its pixels.
    static func open(_ source: borrowing PictureSource) throws(MediaFailure) -> Picture {
        guard let image = unsafe tt_vips_open(source.pointer) else {
            throw .vips(.unsupported, "the file is damaged, or in an unsupported format")
        }
        return unsafe Picture(image)
    }

    /// Decodes a file as small as its format allows, upright, in sRGB, fitted into a square.
    static func thumbnail(_ source: borrowing PictureSource, side: Int) throws(MediaFailure) -> Picture {
        var image: UnsafeMutablePointer<VipsImage>?
        let status = unsafe tt_vips_thumbnail(source.pointer, &image, Int32(side))
        guard status == 0, let image = unsafe image else { throw .vips(.damaged, "the picture cannot be decoded") }
        return unsafe Picture(image)
    }

    /// As ``thumbnail(_:side:)`` for a JPEG, whose decoder can skip detail that a smaller picture does not show.
    ///
    /// libvips itself requests twice the size, and so decodes 12 megapixels in full for 1024 pixels. One and a half
    /// times is enough for its resampling, at less than half the work.
    static func jpegThumbnail(
        _ source: borrowing PictureSource,
        of size: PixelSize,
        side: Int
    ) throws(MediaFailure) -> Picture {
        let factor = Double(max(size.width, size.height)) / Double(side)
        let shrink: Int32 = factor >= 12 ? 8 : factor >= 6 ? 4 : factor >= 3 ? 2 : 1
        var image: UnsafeMutablePointer<VipsImage>?
        guard unsafe tt_vips_open_jpeg(source.pointer, &image, shrink) == 0, let image = unsafe image else {
            throw .vips(.damaged, "the picture cannot be decoded")
        }
        let opened = unsafe Picture(image)
        return try unsafe opened.applying("the picture cannot be decoded") {
            unsafe tt_vips_thumbnail_of($0, &$1, Int32(side))
        }
    }

    /// A picture from 8-bit red, green and blue pixels, row by row.
    ///
    /// The corresponding C function is `vips_image_new_from_memory_copy`.
    static func copying(_ pixels: [UInt8], size: PixelSize) throws(MediaFailure) -> Picture {
        let image = unsafe pixels.withUnsafeBytes { bytes in
            unsafe vips_image_new_from_memory_copy(
                bytes.baseAddress,
                bytes.count,
                Int32(clamping: size.width),
                Int32(clamping: size.height),
                3,
                VIPS_FORMAT_UCHAR
            )
        }
        guard let image = unsafe image else { throw .vips(.damaged, "the poster has no room") }
        return unsafe Picture(image)
    }

    private func applying(
        _ what: String,
        _ operation: (UnsafeMutablePointer<VipsImage>, inout UnsafeMutablePointer<VipsImage>?) -> Int32
    ) throws(MediaFailure) -> Picture {
        var image: UnsafeMutablePointer<VipsImage>?
        let status = unsafe operation(self.image, &image)
        guard status == 0, let image = unsafe image else { throw .vips(.damaged, what) }
        return unsafe Picture(image)
    }

    /// Computes all pixels once, for several uses.
    func inMemory() throws(MediaFailure) -> Picture {
        guard let image = unsafe vips_image_copy_memory(image) else {
            throw .vips(.damaged, "the picture cannot be decoded")
        }
        return unsafe Picture(image)
    }

    /// Fits it into a square; never enlarges.
    func fitted(side: Int) throws(MediaFailure) -> Picture {
        try unsafe applying("the picture cannot be made smaller") { unsafe tt_vips_fit($0, &$1, Int32(side)) }
    }

    /// Rotates it upright; pixels not read from top to bottom must all be in memory.
    func upright() throws(MediaFailure) -> Picture {
        if unsafe vips_image_get_orientation(image) > 2 {
            let whole = try inMemory()
            return try unsafe whole.applying("the picture cannot be turned") { unsafe tt_vips_upright($0, &$1) }
        }
        return try unsafe applying("the picture cannot be turned") { unsafe tt_vips_upright($0, &$1) }
    }

    /// Rotates it clockwise by quarter turns.
    func turned(quarters: Int) throws(MediaFailure) -> Picture {
        let angles = [VIPS_ANGLE_D0, VIPS_ANGLE_D90, VIPS_ANGLE_D180, VIPS_ANGLE_D270]
        return try unsafe applying("the picture cannot be turned") {
            unsafe tt_vips_turn($0, &$1, angles[quarters & 3])
        }
    }

    /// Converts to 8-bit sRGB a picture whose own profile was already applied.
    func asRGB() throws(MediaFailure) -> Picture {
        let isDone =
            unsafe vips_image_get_interpretation(image) == VIPS_INTERPRETATION_sRGB
            && vips_image_get_format(image) == VIPS_FORMAT_UCHAR
        if isDone { return try inMemory() }
        let converted = try unsafe applying("its colours cannot be converted") { unsafe tt_vips_to_srgb($0, &$1) }
        let bytes = try unsafe converted.applying("its colours cannot be converted") {
            unsafe tt_vips_to_bytes($0, &$1)
        }
        return try bytes.inMemory()
    }

    /// Converts to 8-bit sRGB, through its own profile if it has one.
    func inSRGB() throws(MediaFailure) -> Picture {
        if unsafe vips_image_get_typeof(image, VIPS_META_ICC_NAME) != 0 {
            do {
                return try unsafe applying("its colours cannot be converted") {
                    unsafe tt_vips_to_srgb_by_profile($0, &$1)
                }
            } catch {
                // An unusable profile is treated as none.
            }
        }
        let converted = try unsafe applying("its colours cannot be converted") { unsafe tt_vips_to_srgb($0, &$1) }
        return try unsafe converted.applying("its colours cannot be converted") { unsafe tt_vips_to_bytes($0, &$1) }
    }

    /// Flattens transparency onto white.
    func opaque() throws(MediaFailure) -> Picture {
        guard unsafe vips_image_hasalpha(image) != 0 else { return try upright() }
        return try unsafe applying("its transparency cannot be removed") { unsafe tt_vips_on_white($0, &$1) }
    }

    private func withTransparency() throws(MediaFailure) -> Picture {
        guard unsafe vips_image_hasalpha(image) == 0 else { return try upright() }
        return try unsafe applying("its transparency cannot be added") { unsafe tt_vips_add_alpha($0, &$1) }
    }

    /// The placeholder.
    func thumbHash() throws(MediaFailure) -> ThumbHash? {
        let whole = try fitted(side: ThumbHash.maximumSide).asRGB().withTransparency()
        var count = 0
        guard let memory = unsafe vips_image_write_to_memory(whole.image, &count) else {
            throw .vips(.damaged, "the picture cannot be decoded")
        }
        defer { unsafe g_free(memory) }
        let pixels = unsafe Array(UnsafeRawBufferPointer(start: memory, count: count))
        return ThumbHash(size: whole.size, pixels: pixels)
    }

    /// How a picture is compressed.
    enum Encoding {
        /// JPEG; a bare one holds nothing but the pixels.
        case jpeg(quality: Int32, isBare: Bool)
        /// WebP with nothing but the pixels; an effort of 0...6.
        case webP(quality: Int32, effort: Int32)
    }

    /// Compresses the pixels to a file of a format, with a quality of 1...100.
    ///
    /// - Throws: `damaged` if the pixels turn out to be undecodable.
    func encoded(_ encoding: Encoding) throws(MediaFailure) -> [UInt8] {
        var (bytes, count) = unsafe (UnsafeMutableRawPointer?.none, 0)
        let status =
            switch encoding {
            case .jpeg(let quality, let isBare): unsafe tt_vips_jpeg(image, &bytes, &count, quality, isBare ? 1 : 0)
            case .webP(let quality, let effort): unsafe tt_vips_webp(image, &bytes, &count, quality, effort)
            }
        guard status == 0 else { throw .vips(.damaged, "the picture cannot be decoded") }
        defer { unsafe g_free(bytes) }
        let file = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(start: bytes, count: count))
        do {
            guard case .webP = encoding else { return try file.copyBytes(in: FileRange(0..<count), limit: count) }
            return try WebPFile(file).imageOnly(of: file)
        } catch {
            throw MediaFailure(.damaged, "the picture cannot be compressed: \(error)")
        }
    }
}

/// A file that libvips reads through a descriptor.
@safe
struct PictureSource: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsSource>

    /// Reads from the beginning of a file; the caller still owns the descriptor.
    ///
    /// The corresponding C function is `vips_source_new_from_descriptor`.
    init(_ descriptor: Int32) throws(MediaFailure) {
        guard let source = unsafe vips_source_new_from_descriptor(descriptor) else {
            throw .vips(.damaged, "the file cannot be read")
        }
        guard unsafe vips_source_rewind(source) == 0 else {
            unsafe g_object_unref(source)
            throw .vips(.damaged, "the file cannot be read")
        }
        unsafe pointer = unsafe source
    }

    /// Reads from a copy of bytes in memory.
    init(copying bytes: [UInt8]) throws(MediaFailure) {
        let source = unsafe bytes.withUnsafeBytes { unsafe tt_vips_source_of($0.baseAddress, $0.count) }
        guard let source = unsafe source else { throw .vips(.damaged, "the preview cannot be read") }
        unsafe pointer = unsafe source
    }

    deinit { unsafe g_object_unref(pointer) }
}
