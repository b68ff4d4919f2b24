import CFFmpeg
package import Capture
import PhotoModel
import Synchronization

/// Makes JPEGs of raw frames with libjpeg-turbo, for cameras that do not compress.
package final class TurboFrameCompressor: FrameCompressor {
    private struct Tools: ~Copyable {
        let encoder: JPEGEncoder
        let decoder: JPEGDecoder
        var converter = PixelConverter()
        var planes: PlanarPicture?
        var small: PlanarPicture?
    }

    private let quality: Int32
    private let tools: Mutex<Tools>

    /// A compressor.
    ///
    /// - Parameter quality: 1 to 100.
    /// - Throws: `codecFailed` when there is no memory.
    package init(quality: Int = 90) throws(MediaEncodingError) {
        self.quality = Int32(min(max(quality, 1), 100))
        tools = Mutex(Tools(encoder: try JPEGEncoder(), decoder: try JPEGDecoder()))
    }

    /// Compresses a raw frame.
    package func jpeg(of bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        do throws(MediaEncodingError) {
            let frame = try RawFrame(bytes.byteCount, info)
            let result = tools.withLock { tools -> Result<[UInt8], MediaEncodingError> in
                do throws(MediaEncodingError) {
                    return .success(
                        try unsafe bytes.withUnsafeBytes { buffer throws(MediaEncodingError) in
                            try unsafe compress(buffer, frame, &tools)
                        }
                    )
                } catch {
                    return .failure(error)
                }
            }
            return try result.get()
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    /// The mean brightness; of a JPEG, from an eighth of its size.
    package func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? {
        guard info.pixelFormat.isJPEG else { return rawLuma(of: bytes, info) }
        return tools.withLock { tools in
            guard let header = try? tools.decoder.header(of: bytes), let sampling = header.sampling else { return nil }
            let size = JPEGDecoder.size(header.size, scaledDownTo: (header.size.width + 7) / 8)
            if tools.small?.size != size || tools.small?.sampling != sampling {
                tools.small = PlanarPicture(size: size, sampling: sampling)
            }
            var picture = tools.small.take()
            defer { tools.small = picture }
            guard let strides = picture?.strides else { return nil }
            try? unsafe picture?.withMutablePlanes { planes throws(MediaEncodingError) in
                try unsafe tools.decoder.decode(bytes, into: planes, strides: strides, size: size)
            }
            return picture?.meanLuma
        }
    }

    private func compress(
        _ buffer: UnsafeRawBufferPointer,
        _ frame: RawFrame,
        _ tools: inout Tools
    ) throws(MediaEncodingError) -> [UInt8] {
        let pointers: [UnsafePointer<UInt8>?] = unsafe frame.offsets.map {
            unsafe buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: UInt8.self)
        }
        guard frame.needsConversion else {
            return try unsafe tools.encoder.encode(
                planes: pointers,
                strides: frame.strides,
                size: frame.size,
                sampling: frame.sampling,
                quality: quality
            )
        }
        var picture: PlanarPicture
        if let kept = tools.planes.take(), kept.size == frame.size, kept.sampling == frame.sampling {
            picture = kept
        } else {
            picture = PlanarPicture(size: frame.size, sampling: frame.sampling)
        }
        defer { tools.planes = picture }
        let strides = picture.strides
        try unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
            try unsafe tools.converter.convert(
                PixelConverter.Planes(
                    pointers: pointers,
                    strides: frame.strides,
                    format: frame.format,
                    isFullRange: frame.isFullRange
                ),
                size: frame.size,
                to: frame.sampling.pixelFormat,
                planes,
                strides: strides
            )
        }
        return try unsafe picture.withPlanes { planes throws(MediaEncodingError) in
            try unsafe tools.encoder.encode(
                planes: planes,
                strides: strides,
                size: frame.size,
                sampling: frame.sampling,
                quality: quality
            )
        }
    }

    /// A look at every 64th luma sample is enough to judge exposure by.
    private func rawLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? {
        guard let frame = try? RawFrame(bytes.byteCount, info) else { return nil }
        let isPacked = info.pixelFormat == .yuyv || info.pixelFormat == .uyvy
        let step = isPacked ? 128 : 64
        let first = info.pixelFormat == .uyvy ? 1 : 0
        let end = Int(frame.strides[0]) * (frame.size.height - 1) + frame.size.width
        var (sum, count) = (0, 0)
        for offset in stride(from: first, to: end, by: step) {
            sum += Int(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            count += 1
        }
        return count == 0 ? nil : Double(sum) / Double(count * 255)
    }
}

extension ChromaSampling {
    /// The layout's name in FFmpeg.
    var pixelFormat: AVPixelFormat {
        switch self {
        case .full: AV_PIX_FMT_YUV444P
        case .half: AV_PIX_FMT_YUV422P
        case .quarter: AV_PIX_FMT_YUV420P
        case .none: AV_PIX_FMT_GRAY8
        }
    }
}

/// Where the planes of a raw frame are, checked against the number of its bytes.
private struct RawFrame {
    let size: PixelSize
    let format: AVPixelFormat
    /// The sampling to compress with.
    let sampling: ChromaSampling
    let isFullRange: Bool
    let offsets: [Int]
    let strides: [Int32]

    init(_ byteCount: Int, _ info: FrameInfo) throws(MediaEncodingError) {
        size = info.size
        isFullRange = info.isFullRange
        let (width, height) = (info.size.width, info.size.height)
        guard 2...16_384 ~= width, 2...16_384 ~= height, 0...1 << 20 ~= info.bytesPerLine else {
            throw MediaEncodingError(.unsupported, "a frame of this size cannot be compressed")
        }
        let packedBytes: Int
        switch info.pixelFormat {
        case .yuyv: (format, sampling, packedBytes) = (AV_PIX_FMT_YUYV422, .half, 2)
        case .uyvy: (format, sampling, packedBytes) = (AV_PIX_FMT_UYVY422, .half, 2)
        case .nv12: (format, sampling, packedBytes) = (AV_PIX_FMT_NV12, .quarter, 1)
        case .nv21: (format, sampling, packedBytes) = (AV_PIX_FMT_NV21, .quarter, 1)
        case .i420: (format, sampling, packedBytes) = (AV_PIX_FMT_YUV420P, .quarter, 1)
        case .grey: (format, sampling, packedBytes) = (AV_PIX_FMT_GRAY8, .none, 1)
        case .rgb24: (format, sampling, packedBytes) = (AV_PIX_FMT_RGB24, .full, 3)
        default: throw MediaEncodingError(.unsupported, "no compression for the pixel format \(info.pixelFormat)")
        }
        let line = max(info.bytesPerLine, width * packedBytes)
        let chromaRows = (height + 1) / 2
        let needed: Int
        switch info.pixelFormat {
        case .nv12, .nv21:
            offsets = [0, line * height]
            strides = [Int32(line), Int32(line)]
            needed = line * (height + chromaRows)
        case .i420:
            let chromaLine = (line + 1) / 2
            offsets = [0, line * height, line * height + chromaLine * chromaRows]
            strides = [Int32(line), Int32(chromaLine), Int32(chromaLine)]
            needed = line * height + 2 * chromaLine * chromaRows
        default:
            offsets = [0]
            strides = [Int32(line)]
            needed = line * height
        }
        guard needed <= byteCount else {
            throw MediaEncodingError(.damagedInput, "a raw frame is shorter than its size says")
        }
    }

    /// Planes that the encoder takes as they are need none.
    var needsConversion: Bool {
        !(format == AV_PIX_FMT_GRAY8 || format == AV_PIX_FMT_YUV420P && isFullRange)
    }
}
