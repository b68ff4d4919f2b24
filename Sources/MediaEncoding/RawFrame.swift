import CFFmpeg
import Capture
import PhotoModel

/// The plane layout of a raw frame, checked against its number of bytes.
struct RawFrame {
    /// The properties of a layout, apart from the plane offsets.
    private struct Layout {
        let format: AVPixelFormat
        /// The sampling to compress with.
        let sampling: ChromaSampling
        /// Bytes per pixel in the first plane.
        let pixelBytes: Int
        var luma = (offset: 0, step: 64, bits: 8)
    }

    /// Width and height.
    let size: PixelSize
    /// The layout's name in FFmpeg.
    let format: AVPixelFormat
    /// The sampling to compress with.
    let sampling: ChromaSampling
    /// Whether luma uses the full range of 0 to 255.
    let isFullRange: Bool
    /// The offset of each plane.
    let offsets: [Int]
    /// The row stride of each plane, in bytes.
    let strides: [Int32]
    /// How to sample brightness: the first byte, the step to the next sample, and the number of bits.
    let luma: (offset: Int, step: Int, bits: Int)

    /// Locates the planes of a claimed layout in this many bytes.
    ///
    /// - Throws: `unsupported` for an unknown layout or size, `damagedInput` if there are too few bytes.
    init(_ byteCount: Int, _ info: FrameInfo) throws(MediaEncodingError) {
        let (width, height) = (info.size.width, info.size.height)
        guard 2...16_384 ~= width, 2...16_384 ~= height, 0...1 << 20 ~= info.bytesPerLine else {
            throw MediaEncodingError(.unsupported, "a frame of this size cannot be compressed")
        }
        guard let layout = Self.layout(of: info.pixelFormat) else {
            throw MediaEncodingError(.unsupported, "no compression for the pixel format \(info.pixelFormat)")
        }
        size = info.size
        isFullRange = info.isFullRange
        (format, sampling, luma) = (layout.format, layout.sampling, layout.luma)
        let line = max(info.bytesPerLine, width * layout.pixelBytes)
        let (chromaLine, chromaRows) = ((line + 1) / 2, (height + 1) / 2)
        let chroma = chromaLine * chromaRows
        let needed: Int
        switch info.pixelFormat {
        case .nv12, .nv21:
            offsets = [0, line * height]
            strides = [Int32(line), Int32(line)]
            needed = line * (height + chromaRows)
        case .i420, .yv12:
            let (first, second) = (line * height, line * height + chroma)
            offsets = info.pixelFormat == .i420 ? [0, first, second] : [0, second, first]
            strides = [Int32(line), Int32(chromaLine), Int32(chromaLine)]
            needed = second + chroma
        default:
            offsets = [0]
            strides = [Int32(line)]
            needed = line * height
        }
        guard needed <= byteCount else {
            throw MediaEncodingError(.damagedInput, "a raw frame is too short for its size")
        }
    }

    /// Whether the encoder cannot take the planes directly.
    var needsConversion: Bool {
        !(format == AV_PIX_FMT_GRAY8 || format == AV_PIX_FMT_YUV420P && isFullRange)
    }

    /// Linux's layout in FFmpeg's terms; nil for unsupported ones.
    private static func layout(of format: PixelFormat) -> Layout? {
        switch format {
        case .yuyv: Layout(format: AV_PIX_FMT_YUYV422, sampling: .half, pixelBytes: 2, luma: (0, 128, 8))
        case .yvyu: Layout(format: AV_PIX_FMT_YVYU422, sampling: .half, pixelBytes: 2, luma: (0, 128, 8))
        case .uyvy: Layout(format: AV_PIX_FMT_UYVY422, sampling: .half, pixelBytes: 2, luma: (1, 128, 8))
        case .nv12: Layout(format: AV_PIX_FMT_NV12, sampling: .quarter, pixelBytes: 1)
        case .nv21: Layout(format: AV_PIX_FMT_NV21, sampling: .quarter, pixelBytes: 1)
        case .i420, .yv12: Layout(format: AV_PIX_FMT_YUV420P, sampling: .quarter, pixelBytes: 1)
        case .grey: Layout(format: AV_PIX_FMT_GRAY8, sampling: .none, pixelBytes: 1)
        case .grey10: Layout(format: AV_PIX_FMT_GRAY10LE, sampling: .none, pixelBytes: 2, luma: (0, 128, 10))
        case .grey16: Layout(format: AV_PIX_FMT_GRAY16LE, sampling: .none, pixelBytes: 2, luma: (0, 128, 16))
        case .rgb24: Layout(format: AV_PIX_FMT_RGB24, sampling: .full, pixelBytes: 3)
        case .bgr24: Layout(format: AV_PIX_FMT_BGR24, sampling: .full, pixelBytes: 3)
        case .bgrx32: Layout(format: AV_PIX_FMT_BGR0, sampling: .full, pixelBytes: 4, luma: (1, 64, 8))
        case .rgb565: Layout(format: AV_PIX_FMT_RGB565LE, sampling: .full, pixelBytes: 2, luma: (1, 128, 8))
        default: nil
        }
    }
}

extension RawFrame {
    /// Its planes among its bytes.
    func planes(in buffer: UnsafeRawBufferPointer) -> PixelConverter.Planes {
        unsafe PixelConverter.Planes(
            pointers: offsets.map { unsafe buffer.baseAddress?.advanced(by: $0).assumingMemoryBound(to: UInt8.self) },
            strides: strides,
            format: format,
            isFullRange: isFullRange
        )
    }
}
