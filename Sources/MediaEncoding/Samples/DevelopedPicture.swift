import CFFmpeg
import Capture
import Glibc
import PhotoModel

/// A picture developed from a sensor's raw samples: white balance, tone curve, demosaicing.
///
/// The white balance assumes a grey world: the colours' means become equal, none raised more than fourfold. The tone
/// curve is sRGB's (IEC 61966-2-1). Exposure is not corrected. libswscale demosaics bilinearly.
struct DevelopedPicture {
    /// The largest factor for a colour.
    private static let largestGain = 4.0

    /// Red, green and blue, 8 bits each.
    let bytes: [UInt8]
    /// Their layout; an odd column or row of samples is cut.
    let info: FrameInfo

    /// Develops a frame's raw samples of a Bayer layout.
    ///
    /// - Throws: `unsupported` for an impossible size, `damagedInput` if there are too few samples, `codecFailed`.
    init(of samples: RawSpan, _ info: FrameInfo, _ layout: BayerLayout) throws(MediaEncodingError) {
        let words = try layout.words(samples, info)
        let size = PixelSize(width: info.size.width & ~1, height: info.size.height & ~1)
        let mosaic = Self.mosaic(words, width: info.size.width, size, layout)
        bytes = try Self.demosaiced(mosaic, size, layout)
        var picture = info
        (picture.size, picture.pixelFormat, picture.bytesPerLine) = (size, .rgb24, size.width * 3)
        picture.isFullRange = true
        self.info = picture
    }

    /// The samples after white balance and tone curve, 8 bits each, without padding.
    private static func mosaic(_ words: [UInt8], width: Int, _ size: PixelSize, _ layout: BayerLayout) -> [UInt8] {
        let white = 1 << layout.bits - 1
        var (sums, counts) = ([0, 0, 0], [0, 0, 0])
        func eachSample(_ body: (_ colour: Int, _ value: Int) -> Void) {
            for row in 0..<size.height {
                for column in 0..<size.width {
                    let offset = (row * width + column) * 2
                    let value = Int(words[offset]) | Int(words[offset + 1]) << 8
                    body(Int(layout.pattern[(row & 1) * 2 + column & 1]), min(value, white))
                }
            }
        }
        // Clipped samples say nothing about colour.
        eachSample { colour, value in
            guard value < white else { return }
            sums[colour] += value
            counts[colour] += 1
        }
        let means = zip(sums, counts).map { $1 == 0 ? 0 : Double($0) / Double($1) }
        let brightest = means.max() ?? 0
        let curves = means.map { mean in
            toneCurve(gain: mean > 0 ? min(brightest / mean, largestGain) : 1, white: white)
        }
        var mosaic: [UInt8] = []
        mosaic.reserveCapacity(size.width * size.height)
        eachSample { colour, value in mosaic.append(curves[colour][value]) }
        return mosaic
    }

    private static func toneCurve(gain: Double, white: Int) -> [UInt8] {
        (0...white).map { value in
            let light = min(1, Double(value) * gain / Double(white))
            let tone = light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
            return UInt8((tone * 255).rounded())
        }
    }

    private static func demosaiced(
        _ mosaic: [UInt8],
        _ size: PixelSize,
        _ layout: BayerLayout
    ) throws(MediaEncodingError) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: size.width * size.height * 3)
        var converter = PixelConverter()
        try unsafe pixels.withUnsafeMutableBufferPointer { target throws(MediaEncodingError) in
            try unsafe mosaic.withUnsafeBufferPointer { source throws(MediaEncodingError) in
                let planes = unsafe PixelConverter.Planes(
                    pointers: [source.baseAddress],
                    strides: [Int32(size.width)],
                    format: layout.mosaicFormat,
                    isFullRange: true
                )
                try unsafe converter.convert(
                    planes,
                    size: size,
                    to: AV_PIX_FMT_RGB24,
                    [target.baseAddress],
                    strides: [Int32(size.width * 3)]
                )
            }
        }
        return pixels
    }
}

extension BayerLayout {
    /// FFmpeg's name for its 8-bit mosaic.
    fileprivate var mosaicFormat: AVPixelFormat {
        switch pattern {
        case [2, 1, 1, 0]: AV_PIX_FMT_BAYER_BGGR8
        case [1, 2, 0, 1]: AV_PIX_FMT_BAYER_GBRG8
        case [1, 0, 2, 1]: AV_PIX_FMT_BAYER_GRBG8
        default: AV_PIX_FMT_BAYER_RGGB8
        }
    }
}
