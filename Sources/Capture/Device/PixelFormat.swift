/// How the samples of a picture lie in memory: the four-character code of Linux's `videodev2.h`.
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code, first character in the lowest byte.
    package let rawValue: UInt32
    /// Any code; unknown ones are kept.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The format of a code of four characters.
    package init(_ code: StaticString) {
        self.init(rawValue: code.description.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Motion JPEG: one JPEG a frame, perhaps without Huffman tables.
    package static let motionJPEG = PixelFormat("MJPG")
    /// JPEG with a JFIF header: the same to us.
    package static let jpeg = PixelFormat("JPEG")
    /// Packed 4:2:2 as Y U Y V.
    package static let yuyv = PixelFormat("YUYV")
    /// Packed 4:2:2 as U Y V Y.
    package static let uyvy = PixelFormat("UYVY")
    /// 4:2:0 in two planes: Y, then U and V interleaved.
    package static let nv12 = PixelFormat("NV12")
    /// 4:2:0 in two planes: Y, then V and U interleaved.
    package static let nv21 = PixelFormat("NV21")
    /// Packed 4:2:2 as Y V Y U.
    package static let yvyu = PixelFormat("YVYU")
    /// ``nv12`` with each plane in memory of its own.
    package static let nv12Planes = PixelFormat("NM12")
    /// ``nv21`` with each plane in memory of its own.
    package static let nv21Planes = PixelFormat("NM21")
    /// 4:2:0 in three planes: Y, V, U.
    package static let yv12 = PixelFormat("YV12")
    /// ``i420`` with each plane in memory of its own.
    package static let i420Planes = PixelFormat("YM12")
    /// ``yv12`` with each plane in memory of its own.
    package static let yv12Planes = PixelFormat("YM21")
    /// 4:2:0 in three planes: Y, U, V.
    package static let i420 = PixelFormat("YU12")
    /// Luma alone, 8 bits.
    package static let grey = PixelFormat("GREY")
    /// Luma alone, 10 bits in 16, little-endian.
    package static let grey10 = PixelFormat("Y10 ")
    /// Luma alone, 16 bits, little-endian.
    package static let grey16 = PixelFormat("Y16 ")
    /// Packed red, green, blue, 8 bits each.
    package static let rgb24 = PixelFormat("RGB3")
    /// Packed blue, green, red, 8 bits each.
    package static let bgr24 = PixelFormat("BGR3")
    /// Red 5, green 6, blue 5 bits in 16, little-endian.
    package static let rgb565 = PixelFormat("RGBP")
    /// Packed blue, green, red and one byte without meaning.
    package static let bgrx32 = PixelFormat("XR24")
    /// What a sensor sees, 8 bits: B G in even rows, G R in odd ones.
    package static let bayerBGGR = PixelFormat("BA81")
    /// What a sensor sees, 8 bits: G B in even rows, R G in odd ones.
    package static let bayerGBRG = PixelFormat("GBRG")
    /// What a sensor sees, 8 bits: G R in even rows, B G in odd ones.
    package static let bayerGRBG = PixelFormat("GRBG")
    /// What a sensor sees, 8 bits: R G in even rows, G B in odd ones.
    package static let bayerRGGB = PixelFormat("RGGB")
    /// ``bayerBGGR`` with 10 bits in 16, little-endian.
    package static let bayerBGGR10 = PixelFormat("BG10")
    /// ``bayerGBRG`` with 10 bits in 16, little-endian.
    package static let bayerGBRG10 = PixelFormat("GB10")
    /// ``bayerGRBG`` with 10 bits in 16, little-endian.
    package static let bayerGRBG10 = PixelFormat("BA10")
    /// ``bayerRGGB`` with 10 bits in 16, little-endian.
    package static let bayerRGGB10 = PixelFormat("RG10")
    /// ``bayerBGGR`` with 10 bits, four samples in five bytes.
    package static let bayerBGGR10Packed = PixelFormat("pBAA")
    /// ``bayerGBRG`` with 10 bits, four samples in five bytes.
    package static let bayerGBRG10Packed = PixelFormat("pGAA")
    /// ``bayerGRBG`` with 10 bits, four samples in five bytes.
    package static let bayerGRBG10Packed = PixelFormat("pgAA")
    /// ``bayerRGGB`` with 10 bits, four samples in five bytes.
    package static let bayerRGGB10Packed = PixelFormat("pRAA")
    /// ``bayerBGGR`` with 16 bits, little-endian.
    package static let bayerBGGR16 = PixelFormat("BYR2")
    /// ``bayerGBRG`` with 16 bits, little-endian.
    package static let bayerGBRG16 = PixelFormat("GB16")
    /// ``bayerGRBG`` with 16 bits, little-endian.
    package static let bayerGRBG16 = PixelFormat("GR16")
    /// ``bayerRGGB`` with 16 bits, little-endian.
    package static let bayerRGGB16 = PixelFormat("RG16")
    /// An H.264 stream, in which a frame cannot be shown without those before it.
    package static let h264 = PixelFormat("H264")

    /// Whether each frame is a JPEG by itself, which is kept as it is.
    package var isJPEG: Bool { self == .motionJPEG || self == .jpeg }

    /// The four characters.
    package var description: String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }, as: UTF8.self)
    }
}
