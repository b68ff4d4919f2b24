import Capture
import MediaFormats
import PhotoModel

/// Writes stills, one after the other.
actor StillWriter {
    private let executor: QueueExecutor
    private var decoder: PictureDecoder?
    private var thumbnails: ThumbnailEncoder?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(on executor: QueueExecutor) {
        self.executor = executor
    }

    /// Writes a camera frame's file and makes it durable.
    func write(_ request: StillRequest, software: String) throws(MediaEncodingError) -> RecordedStill {
        let (bytes, size, contentType) =
            switch request.format {
            case .jpeg, .heic, .avif: try compressedStill(request, software)
            case .png, .dng: try sampleStill(request, software)
            }
        let file = try DurableFile.write(bytes, at: request.path, contentType: contentType.mediaType)
        return RecordedStill(file: file, pixelSize: size)
    }

    /// A file made from the frame's JPEG.
    private func compressedStill(
        _ request: StillRequest,
        _ software: String
    ) throws(MediaEncodingError) -> ([UInt8], PixelSize, ContentType) {
        try request.frame.buffer.withBytes { frame throws(MediaEncodingError) in
            guard frame.byteCount > 0 else {
                throw MediaEncodingError(.damagedInput, "the frame could not be masked, or made into a JPEG")
            }
            let size: PixelSize
            do throws(MediaFormatError) {
                size = try JPEGHeader(frame).pixelSize ?? request.frame.info.size
            } catch {
                throw MediaEncodingError(.damagedInput, "the frame is not a JPEG: \(error)")
            }
            var exif = exif(of: request, size, software)
            let xmp = XMPProperties(request.description).packet()
            guard request.format != .jpeg else {
                return (try jpeg(frame, request.description, exif, xmp), size, ContentType.jpeg)
            }
            // The container rotates the picture: a reader that also obeys EXIF would rotate it twice.
            exif.orientation = .up
            let codec: HEIFStill.Codec = request.format == .heic ? .hevc : .av1
            let type: ContentType = request.format == .heic ? .heic : .avif
            return (try heif(frame, codec, request.description, exif, xmp), size, type)
        }
    }

    /// A file made from the frame's samples.
    private func sampleStill(
        _ request: StillRequest,
        _ software: String
    ) throws(MediaEncodingError) -> ([UInt8], PixelSize, ContentType) {
        guard let samples = request.frame.samples else {
            throw MediaEncodingError(.unsupported, "no samples were kept for a \(request.format)")
        }
        let exif = exif(of: request, samples.info.size, software)
        let xmp = XMPProperties(request.description).packet()
        guard request.format == .png else {
            let camera = request.description.camera
            let name = [camera.manufacturer, camera.model].compactMap(\.self).joined(separator: " ")
            let bytes = try SampleStill.dng(
                of: samples,
                camera: name,
                exif: exif,
                xmp: xmp,
                preview: request.frame.buffer.copyBytes()
            )
            return (bytes, samples.info.size, .dng)
        }
        let block = try MediaEncodingError.describing { () throws(MediaFormatError) in try exif.bytes() }
        return (try SampleStill.png(of: samples, exif: block, xmp: xmp), samples.info.size, .png)
    }

    private func exif(of request: StillRequest, _ size: PixelSize, _ software: String) -> ExifMetadata {
        ExifMetadata(request.description, size: size, exposureTime: request.frame.info.exposureTime, software: software)
    }

    /// Repairs the camera's frame and inserts EXIF and XMP; image data is not touched.
    private func jpeg(
        _ frame: RawSpan,
        _ description: CaptureDescription,
        _ exif: ExifMetadata,
        _ xmp: [UInt8]
    ) throws(MediaEncodingError) -> [UInt8] {
        let thumbnail = description.hasThumbnail ? try thumbnail(of: frame) : nil
        do throws(MediaFormatError) {
            let block = try exif.bytes(makerNote: description.makerNote, thumbnail: thumbnail)
            return try MotionJPEGFrame(frame).jpegFile(frame, exif: block, xmp: xmp).copyBytes(from: frame)
        } catch {
            throw MediaEncodingError(.damagedInput, "the frame cannot become a still: \(error)")
        }
    }

    private func heif(
        _ frame: RawSpan,
        _ codec: HEIFStill.Codec,
        _ description: CaptureDescription,
        _ exif: ExifMetadata,
        _ xmp: [UInt8]
    ) throws(MediaEncodingError) -> [UInt8] {
        let block = try MediaEncodingError.describing { () throws(MediaFormatError) in
            try exif.bytes(makerNote: description.makerNote)
        }
        return try HEIFStill.bytes(
            of: frame,
            try pictureDecoder(),
            codec,
            HEIFStill.Metadata(exif: block, xmp: xmp, orientation: description.orientation),
            hasThumbnail: description.hasThumbnail
        )
    }

    private func thumbnail(of frame: RawSpan) throws(MediaEncodingError) -> [UInt8]? {
        let encoder: ThumbnailEncoder
        if let thumbnails {
            encoder = thumbnails
        } else {
            encoder = try ThumbnailEncoder()
            thumbnails = encoder
        }
        return try encoder.jpeg(of: frame)
    }

    private func pictureDecoder() throws(MediaEncodingError) -> PictureDecoder {
        if let decoder { return decoder }
        let decoder = try PictureDecoder()
        self.decoder = decoder
        return decoder
    }
}

extension CaptureDescription {
    /// Joins the still with its movie; nil for a plain still.
    fileprivate var makerNote: [UInt8]? { contentIdentifier.map(AppleMakerNote.bytes(contentIdentifier:)) }
}
