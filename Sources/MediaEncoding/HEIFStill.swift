import CHEIF
import MediaFormats
import PhotoModel

/// A still as a HEIC or AVIF file, encoded with libheif and x265 or aom.
///
/// x265 runs at its fastest preset: five times the speed of the library's default, and here even a smaller file. aom
/// runs at speed 8 of 9: a fifth of the default's time for a tenth more bytes.
enum HEIFStill {
    /// The picture's codec, which determines the file format.
    enum Codec {
        /// HEIC.
        case hevc
        /// AVIF.
        case av1

        fileprivate var format: heif_compression_format {
            self == .hevc ? heif_compression_HEVC : heif_compression_AV1
        }

        /// The encoder's speed settings.
        fileprivate var speed: (name: String, value: String) {
            self == .hevc ? ("preset", "ultrafast") : ("speed", "8")
        }

        /// Whether libheif has an encoder for it.
        ///
        /// The corresponding C function is `heif_have_encoder_for_format`.
        var isAvailable: Bool { heif_have_encoder_for_format(format) != 0 }
    }

    /// The file's metadata.
    struct Metadata {
        /// An EXIF block from its byte order mark, with orientation 1: the container's property rotates the picture.
        var exif: [UInt8]
        /// An XMP packet.
        var xmp: [UInt8]
        /// How to rotate the picture upright; becomes `irot` and `imir`.
        var orientation: ImageOrientation
    }

    /// The quality on libheif's scale of 0 to 100; comparable to a phone's.
    static let quality: Int32 = 60
    /// The longer side of a thumbnail.
    static let thumbnailSide: Int32 = 320

    /// Transcodes a whole JPEG, decoded straight into libheif's planes.
    ///
    /// - Throws: `damagedInput` for the JPEG, `unsupported` without the encoder, `codecFailed`.
    static func bytes(
        of jpeg: RawSpan,
        _ decoder: PictureDecoder,
        _ codec: Codec,
        _ metadata: Metadata,
        hasThumbnail: Bool
    ) throws(MediaEncodingError) -> [UInt8] {
        guard let size = decoder.size(of: jpeg) else {
            throw MediaEncodingError(.damagedInput, "the frame is not a decodable JPEG")
        }
        let picture = try HEIFPicture(size: size)
        try picture.addPlanes()
        try picture.describeColours()
        let (planes, strides) = try unsafe picture.planes()
        try unsafe decoder.decode(jpeg, into: planes, strides: strides, size: size)
        let file = try HEIFFile()
        try file.encode(picture, codec, metadata, hasThumbnail: hasThumbnail)
        return try file.bytes()
    }
}

/// Full-range 4:2:0 planes in libheif's memory.
@safe
private struct HEIFPicture: ~Copyable {
    let pointer: OpaquePointer

    private let size: PixelSize

    /// Creates a picture without planes.
    ///
    /// The corresponding C function is `heif_image_create`.
    init(size: PixelSize) throws(MediaEncodingError) {
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        var image: OpaquePointer?
        try unsafe check(heif_image_create(width, height, heif_colorspace_YCbCr, heif_chroma_420, &image))
        guard let image = unsafe image else { throw MediaEncodingError(.codecFailed, "no memory for a picture") }
        unsafe pointer = unsafe image
        self.size = size
    }

    /// Allocates the planes.
    ///
    /// The corresponding C function is `heif_image_add_plane`.
    borrowing func addPlanes() throws(MediaEncodingError) {
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        let half = ((width + 1) / 2, (height + 1) / 2)
        try unsafe check(heif_image_add_plane(pointer, heif_channel_Y, width, height, 8))
        try unsafe check(heif_image_add_plane(pointer, heif_channel_Cb, half.0, half.1, 8))
        try unsafe check(heif_image_add_plane(pointer, heif_channel_Cr, half.0, half.1, 8))
    }

    deinit {
        unsafe heif_image_release(pointer)
    }

    /// Sets JFIF's colour description: BT.601's matrix, full range, sRGB.
    ///
    /// The corresponding C function is `heif_image_set_nclx_color_profile`.
    borrowing func describeColours() throws(MediaEncodingError) {
        guard let profile = unsafe heif_nclx_color_profile_alloc() else {
            throw MediaEncodingError(.codecFailed, "no memory for a colour profile")
        }
        defer { unsafe heif_nclx_color_profile_free(profile) }
        unsafe profile.pointee.color_primaries = heif_color_primaries_ITU_R_BT_709_5
        unsafe profile.pointee.transfer_characteristics = heif_transfer_characteristic_IEC_61966_2_1
        unsafe profile.pointee.matrix_coefficients = heif_matrix_coefficients_ITU_R_BT_601_6
        unsafe profile.pointee.full_range_flag = 1
        try unsafe check(heif_image_set_nclx_color_profile(pointer, profile))
    }

    /// Pointers to the planes; valid as long as the picture.
    ///
    /// The corresponding C function is `heif_image_get_plane`.
    borrowing func planes() throws(MediaEncodingError) -> ([UnsafeMutablePointer<UInt8>?], [Int32]) {
        var pointers: [UnsafeMutablePointer<UInt8>?] = unsafe []
        var strides: [Int32] = []
        for channel in [heif_channel_Y, heif_channel_Cb, heif_channel_Cr] {
            var stride: Int32 = 0
            guard let plane = unsafe heif_image_get_plane(pointer, channel, &stride) else {
                throw MediaEncodingError(.codecFailed, "a plane is missing")
            }
            unsafe pointers.append(plane)
            strides.append(stride)
        }
        return unsafe (pointers, strides)
    }
}

/// A HEIC or AVIF file under construction.
@safe
private struct HEIFFile: ~Copyable {
    private let context: OpaquePointer

    init() throws(MediaEncodingError) {
        guard let context = unsafe heif_context_alloc() else {
            throw MediaEncodingError(.codecFailed, "no memory for a HEIF file")
        }
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe heif_context_free(context)
    }

    /// The corresponding C functions are `heif_context_encode_image` and `heif_context_encode_thumbnail`.
    borrowing func encode(
        _ picture: borrowing HEIFPicture,
        _ codec: HEIFStill.Codec,
        _ metadata: HEIFStill.Metadata,
        hasThumbnail: Bool
    ) throws(MediaEncodingError) {
        var encoder: OpaquePointer?
        try unsafe check(heif_context_get_encoder_for_format(context, codec.format, &encoder), .unsupported)
        defer { unsafe heif_encoder_release(encoder) }
        try unsafe check(heif_encoder_set_lossy_quality(encoder, HEIFStill.quality))
        let speed = codec.speed
        try unsafe check(heif_encoder_set_parameter(encoder, speed.name, speed.value))
        guard let options = unsafe heif_encoding_options_alloc() else {
            throw MediaEncodingError(.codecFailed, "no memory for an encoder's options")
        }
        defer { unsafe heif_encoding_options_free(options) }
        unsafe options.pointee.image_orientation = heif_orientation(rawValue: UInt32(metadata.orientation.rawValue))
        var handle: OpaquePointer?
        try unsafe check(heif_context_encode_image(context, picture.pointer, encoder, options, &handle))
        defer { unsafe heif_image_handle_release(handle) }
        if hasThumbnail {
            var thumbnail: OpaquePointer?
            try unsafe check(
                heif_context_encode_thumbnail(
                    context,
                    picture.pointer,
                    handle,
                    encoder,
                    options,
                    HEIFStill.thumbnailSide,
                    &thumbnail
                )
            )
            unsafe heif_image_handle_release(thumbnail)
        }
        let (exif, xmp) = (metadata.exif, metadata.xmp)
        try unsafe check(heif_context_add_exif_metadata(context, handle, exif, Int32(clamping: exif.count)))
        try unsafe check(heif_context_add_XMP_metadata(context, handle, xmp, Int32(clamping: xmp.count)))
    }

    /// Writes the file to memory.
    ///
    /// The corresponding C function is `heif_context_write`.
    borrowing func bytes() throws(MediaEncodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = unsafe heif_writer(writer_api_version: 1) { _, data, size, target in
            unsafe target?.assumingMemoryBound(to: [UInt8].self).pointee.append(
                contentsOf: UnsafeRawBufferPointer(start: data, count: size)
            )
            return unsafe heif_error(code: heif_error_Ok, subcode: heif_suberror_Unspecified, message: nil)
        }
        let status = unsafe withUnsafeMutablePointer(to: &bytes) { target in
            unsafe heif_context_write(context, &writer, target)
        }
        try unsafe check(status)
        return bytes
    }
}

/// Throws the error for a libheif result.
private func check(_ status: heif_error, _ code: MediaEncodingError.Code = .codecFailed) throws(MediaEncodingError) {
    guard unsafe status.code != heif_error_Ok else { return }
    let message = unsafe status.message.map { unsafe String(cString: $0) } ?? "unknown"
    throw unsafe MediaEncodingError(code, "HEIF: \(message)", number: Int32(bitPattern: status.code.rawValue))
}
