import CFFmpeg
package import Capture
import MediaFormats
import PhotoModel
import Synchronization

/// Compresses raw frames to JPEG with libjpeg-turbo, for cameras that do not compress.
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

    /// Creates a compressor of a quality of 1 to 100.
    ///
    /// - Throws: `codecFailed` if out of memory.
    package init(quality: Int = 90) throws(MediaEncodingError) {
        self.quality = Int32(min(max(quality, 1), 100))
        tools = Mutex(Tools(encoder: try JPEGEncoder(), decoder: try JPEGDecoder()))
    }

    /// Compresses a raw frame.
    package func jpeg(of bytes: RawSpan, _ info: FrameInfo) throws(CaptureError) -> [UInt8] {
        do throws(MediaEncodingError) {
            return try compressed(bytes, info)
        } catch {
            throw CaptureError(encoding: error)
        }
    }

    private func compressed(_ bytes: RawSpan, _ info: FrameInfo) throws(MediaEncodingError) -> [UInt8] {
        if let layout = BayerLayout(info.pixelFormat) {
            let picture = try DevelopedPicture(of: bytes, info, layout)
            return try picture.bytes.withBytes { bytes throws(MediaEncodingError) in
                try compressed(bytes, picture.info)
            }
        }
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
    }

    /// The mean brightness; for a JPEG, measured at an eighth of its size.
    package func meanLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? {
        guard info.pixelFormat.isJPEG else { return rawLuma(of: bytes, info) }
        return tools.withLock { tools in
            guard let header = try? tools.decoder.header(of: bytes), let sampling = header.sampling else { return nil }
            let size = JPEGDecoder.size(header.size, scaledDownTo: (header.size.width + 7) / 8)
            var picture = PlanarPicture.reusing(&tools.small, size: size, sampling: sampling)
            defer { tools.small = picture }
            let strides = picture.strides
            try? unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
                try unsafe tools.decoder.decode(bytes, into: planes, strides: strides, size: size)
            }
            return picture.meanLuma
        }
    }

    private func compress(
        _ buffer: UnsafeRawBufferPointer,
        _ frame: RawFrame,
        _ tools: inout Tools
    ) throws(MediaEncodingError) -> [UInt8] {
        let source = unsafe frame.planes(in: buffer)
        guard frame.needsConversion else {
            return try unsafe tools.encoder.encode(
                planes: source.pointers,
                strides: frame.strides,
                size: frame.size,
                sampling: frame.sampling,
                quality: quality
            )
        }
        return try unsafe encodeConverted(source, frame, &tools)
    }

    /// Converts to planes that the encoder accepts, and encodes them.
    private func encodeConverted(
        _ source: PixelConverter.Planes,
        _ frame: RawFrame,
        _ tools: inout Tools
    ) throws(MediaEncodingError) -> [UInt8] {
        // libswscale's conversion of full-range NV12 crashes if its rows are not aligned (SSE2, FFmpeg 5.1).
        var picture = PlanarPicture.reusing(&tools.planes, size: frame.size, sampling: frame.sampling, alignment: 32)
        defer { tools.planes = picture }
        let strides = picture.strides
        try unsafe picture.withMutablePlanes { planes throws(MediaEncodingError) in
            try unsafe tools.converter.convert(
                source,
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

    /// Every 64th luma sample is enough to judge exposure.
    private func rawLuma(of bytes: RawSpan, _ info: FrameInfo) -> Double? {
        if let layout = BayerLayout(info.pixelFormat) { return layout.meanSample(bytes, info) }
        guard let frame = try? RawFrame(bytes.byteCount, info) else { return nil }
        let luma = frame.luma
        let end = Int(frame.strides[0]) * (frame.size.height - 1) + frame.size.width
        var (sum, count) = (0, 0)
        for offset in stride(from: luma.offset, to: end, by: luma.step) {
            let low = Int(unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self))
            let high =
                luma.bits > 8 ? Int(unsafe bytes.unsafeLoad(fromByteOffset: offset + 1, as: UInt8.self)) << 8 : 0
            sum += min(255, (low | high) >> (luma.bits - 8))
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
