import CFFmpeg
import Capture
import MediaFormats
import PhotoModel

/// Stills that keep all of a frame's samples.
enum SampleStill {
    /// A PNG with EXIF from its byte order mark and XMP, encoded by libavcodec: 8 bits of red, green and blue, or grey
    /// of 8 or 16 bits.
    ///
    /// - Throws: `unsupported` for samples that are not a picture, `codecFailed`.
    static func png(of samples: FrameSamples, exif: [UInt8], xmp: [UInt8]) throws(MediaEncodingError) -> [UInt8] {
        let plain = try samples.buffer.withBytes { bytes throws(MediaEncodingError) in
            try plainPNG(of: bytes, samples.info)
        }
        // Signature and header come first; metadata may follow at once (PNG, 5.6).
        let headerEnd = 33
        guard plain.count > headerEnd else { throw MediaEncodingError(.codecFailed, "an empty PNG") }
        return try MediaEncodingError.describing { () throws(MediaFormatError) in
            try plain[..<headerEnd] + PNGFile.chunk("eXIf", exif) + PNGFile.xmpChunk(xmp) + plain[headerEnd...]
        }
    }

    private static func plainPNG(of bytes: RawSpan, _ info: FrameInfo) throws(MediaEncodingError) -> [UInt8] {
        let frame = try RawFrame(bytes.byteCount, info)
        let format: AVPixelFormat =
            switch info.pixelFormat {
            case .grey: AV_PIX_FMT_GRAY8
            case .grey10, .grey16: AV_PIX_FMT_GRAY16BE
            default: AV_PIX_FMT_RGB24
            }
        let picture = try CodecFrame(size: info.size, format: format)
        var converter = PixelConverter()
        let (targets, strides) = unsafe picture.planes
        try unsafe bytes.withUnsafeBytes { buffer throws(MediaEncodingError) in
            let source = unsafe frame.planes(in: buffer)
            try unsafe converter.convert(source, size: info.size, to: format, targets, strides: strides)
        }
        let codec = try CodecContext.png(size: info.size, format: format)
        var file: [UInt8] = []
        try unsafe codec.send(picture, presentationTime: 0) { packet in
            let packet = unsafe packet.pointee
            unsafe file.append(contentsOf: UnsafeBufferPointer(start: packet.data, count: Int(packet.size)))
        }
        return file
    }

    /// A DNG of a sensor's raw samples, with the camera's name, metadata, and a JPEG preview.
    ///
    /// - Throws: `unsupported` for samples of another kind, `damagedInput` if there are too few.
    static func dng(
        of samples: FrameSamples,
        camera: String,
        exif: ExifMetadata,
        xmp: [UInt8],
        preview: [UInt8] = []
    ) throws(MediaEncodingError) -> [UInt8] {
        guard let layout = BayerLayout(samples.info.pixelFormat) else {
            throw MediaEncodingError(.unsupported, "frames in \(samples.info.pixelFormat) cannot become a DNG")
        }
        let words = try samples.buffer.withBytes { bytes throws(MediaEncodingError) in
            try layout.words(bytes, samples.info)
        }
        let file = DNGFile(
            samples: words,
            size: samples.info.size,
            pattern: layout.pattern,
            whiteLevel: 1 << layout.bits - 1,
            cameraModel: camera,
            exif: exif,
            xmp: xmp,
            preview: preview
        )
        return try MediaEncodingError.describing { () throws(MediaFormatError) in try file.bytes() }
    }
}

extension BayerLayout {
    /// The bytes of a row with its padding.
    ///
    /// - Throws: `unsupported` for an impossible size, `damagedInput` if there are too few bytes.
    func line(_ byteCount: Int, _ info: FrameInfo) throws(MediaEncodingError) -> Int {
        let (width, height) = (info.size.width, info.size.height)
        guard 2...16_384 ~= width, 2...16_384 ~= height, 0...1 << 20 ~= info.bytesPerLine else {
            throw MediaEncodingError(.unsupported, "a frame of this size cannot become a DNG")
        }
        let line = max(info.bytesPerLine, self.byteCount(ofSamples: width))
        guard line * height <= byteCount else {
            throw MediaEncodingError(.damagedInput, "a raw frame is too short for its size")
        }
        return line
    }

    /// The mean of some samples' upper 8 bits, from 0 to 1, which tells whether the exposure has settled; nil if there are
    /// too few bytes.
    func meanSample(_ bytes: RawSpan, _ info: FrameInfo) -> Double? {
        guard let line = try? line(bytes.byteCount, info) else { return nil }
        var (sum, count) = (0, 0)
        for row in stride(from: 0, to: info.size.height, by: 8) {
            for group in stride(from: 0, to: info.size.width / groupSampleCount, by: 16) {
                func byte(_ place: Int) -> Int {
                    let offset = row * line + group * groupByteCount + place
                    return Int(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
                }
                // Packed groups begin with a sample's upper bits.
                sum += packing == .words ? min(255, (byte(0) | byte(1) << 8) >> (bits - 8)) : byte(0)
                count += 1
            }
        }
        return count == 0 ? nil : Double(sum) / Double(count * 255)
    }

    /// The samples in 16 bits each, little-endian, without padding.
    ///
    /// - Throws: as ``line(_:_:)``.
    func words(_ bytes: RawSpan, _ info: FrameInfo) throws(MediaEncodingError) -> [UInt8] {
        let (width, height) = (info.size.width, info.size.height)
        let line = try line(bytes.byteCount, info)
        func byte(_ offset: Int) -> UInt16 { UInt16(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)) }
        let lowBits = bits - 8
        var words: [UInt8] = []
        words.reserveCapacity(width * height * 2)
        for row in 0..<height {
            for column in 0..<width {
                let value: UInt16
                switch packing {
                case .bytes: value = byte(row * line + column)
                case .words:
                    let offset = row * line + column * 2
                    value = byte(offset) | byte(offset + 1) << 8
                case .packed:
                    let group = row * line + column / groupSampleCount * groupByteCount
                    let index = column % groupSampleCount
                    // The lower bits follow the group's upper bytes, the first sample's lowest.
                    let place = index * lowBits
                    let low = group + groupSampleCount + place / 8
                    let last = group + groupByteCount - 1
                    let pair = byte(low) | (low < last ? byte(low + 1) << 8 : 0)
                    value = byte(group + index) << lowBits | (pair >> (place % 8)) & (1 << lowBits - 1)
                }
                words.append(UInt8(truncatingIfNeeded: value))
                words.append(UInt8(truncatingIfNeeded: value >> 8))
            }
        }
        return words
    }
}
