import Capture
import PhotoModel

/// Takes the upper eight bits of what a sensor sees in more of them, since pictures have no more.
///
/// The layouts are those of the kernel's pixfmt-srggb10.rst, pixfmt-srggb10p.rst and pixfmt-srggb16.rst.
struct DeepMosaic {
    /// How samples lie in a row.
    private enum Packing {
        /// Two bytes a sample, little-endian, of which so many bits count.
        case words(bits: Int)
        /// Four bytes with the upper bits of four samples, then one with their lower bits.
        case fourInFive
    }

    private let packing: Packing
    /// The layout with the same colours and eight bits.
    private let reduced: PixelFormat

    /// The layout of a format; nil when it has no more than eight bits or is none of a sensor.
    init?(_ format: PixelFormat) {
        switch format {
        case .bayerBGGR10: (packing, reduced) = (.words(bits: 10), .bayerBGGR)
        case .bayerGBRG10: (packing, reduced) = (.words(bits: 10), .bayerGBRG)
        case .bayerGRBG10: (packing, reduced) = (.words(bits: 10), .bayerGRBG)
        case .bayerRGGB10: (packing, reduced) = (.words(bits: 10), .bayerRGGB)
        case .bayerBGGR10Packed: (packing, reduced) = (.fourInFive, .bayerBGGR)
        case .bayerGBRG10Packed: (packing, reduced) = (.fourInFive, .bayerGBRG)
        case .bayerGRBG10Packed: (packing, reduced) = (.fourInFive, .bayerGRBG)
        case .bayerRGGB10Packed: (packing, reduced) = (.fourInFive, .bayerRGGB)
        case .bayerBGGR16: (packing, reduced) = (.words(bits: 16), .bayerBGGR)
        case .bayerGBRG16: (packing, reduced) = (.words(bits: 16), .bayerGBRG)
        case .bayerGRBG16: (packing, reduced) = (.words(bits: 16), .bayerGRBG)
        case .bayerRGGB16: (packing, reduced) = (.words(bits: 16), .bayerRGGB)
        default: return nil
        }
    }

    /// Makes a frame of eight bits.
    ///
    /// - Parameters:
    ///   - bytes: the frame.
    ///   - info: how it is said to lie.
    /// - Returns: the samples row after row, and how they lie.
    /// - Throws: `unsupported` for a size that is not known, `damagedInput` when there are too few bytes.
    func reduced(_ bytes: RawSpan, _ info: FrameInfo) throws(MediaEncodingError) -> ([UInt8], FrameInfo) {
        let (width, height) = (info.size.width, info.size.height)
        guard 2...16_384 ~= width, 2...16_384 ~= height, 0...1 << 20 ~= info.bytesPerLine else {
            throw MediaEncodingError(.unsupported, "a frame of this size cannot be compressed")
        }
        let packed =
            switch packing {
            case .words: width * 2
            case .fourInFive: (width * 5 + 3) / 4
            }
        let line = max(info.bytesPerLine, packed)
        guard line * (height - 1) + packed <= bytes.byteCount else {
            throw MediaEncodingError(.damagedInput, "a raw frame is shorter than its size says")
        }
        let samples = unsafe [UInt8](unsafeUninitializedCapacity: width * height) { target, count in
            unsafe bytes.withUnsafeBytes { source in
                for row in 0..<height {
                    for column in 0..<width {
                        let begin = row * line
                        let sample: UInt8
                        switch packing {
                        case .words(let bits):
                            let low = unsafe UInt16(source[begin + column * 2])
                            let high = unsafe UInt16(source[begin + column * 2 + 1])
                            sample = UInt8(clamping: (low | high << 8) >> UInt16(bits - 8))
                        case .fourInFive:
                            sample = unsafe source[begin + column / 4 * 5 + column % 4]
                        }
                        unsafe target[row * width + column] = sample
                    }
                }
            }
            count = width * height
        }
        var info = info
        (info.pixelFormat, info.bytesPerLine) = (reduced, width)
        return (samples, info)
    }
}
