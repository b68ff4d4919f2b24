/// How the samples of a picture lie in memory: the four-character code of Linux's `videodev2.h`.
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code, first character in the lowest byte.
    package let rawValue: UInt32
    /// Any code; unknown ones are kept.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ code: StaticString) {
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
    /// 4:2:0 in three planes: Y, U, V.
    package static let i420 = PixelFormat("YU12")
    /// Luma alone, 8 bits.
    package static let grey = PixelFormat("GREY")
    /// Packed red, green, blue, 8 bits each.
    package static let rgb24 = PixelFormat("RGB3")

    /// Whether each frame is a JPEG by itself, which is kept as it is.
    package var isJPEG: Bool { self == .motionJPEG || self == .jpeg }

    /// The four characters.
    package var description: String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }, as: UTF8.self)
    }
}
