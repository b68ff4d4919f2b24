/// The memory layout of a picture's samples: the four-character code of Linux's `videodev2.h`.
package struct PixelFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code, first character in the lowest byte.
    package let rawValue: UInt32
    /// Any code; unknown ones are kept.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The format with a four-character code.
    package init(_ code: StaticString) {
        self.init(rawValue: code.description.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// Motion JPEG: one JPEG per frame, possibly without Huffman tables.
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
    /// ``nv12`` with each plane in separate memory.
    package static let nv12Planes = PixelFormat("NM12")
    /// ``nv21`` with each plane in separate memory.
    package static let nv21Planes = PixelFormat("NM21")
    /// 4:2:0 in three planes: Y, V, U.
    package static let yv12 = PixelFormat("YV12")
    /// ``i420`` with each plane in separate memory.
    package static let i420Planes = PixelFormat("YM12")
    /// ``yv12`` with each plane in separate memory.
    package static let yv12Planes = PixelFormat("YM21")
    /// 4:2:0 in three planes: Y, U, V.
    package static let i420 = PixelFormat("YU12")
    /// Luma only, 8 bits.
    package static let grey = PixelFormat("GREY")
    /// Luma only, 10 bits in 16, little-endian.
    package static let grey10 = PixelFormat("Y10 ")
    /// Luma only, 16 bits, little-endian.
    package static let grey16 = PixelFormat("Y16 ")
    /// Packed red, green, blue, 8 bits each.
    package static let rgb24 = PixelFormat("RGB3")
    /// Packed blue, green, red, 8 bits each.
    package static let bgr24 = PixelFormat("BGR3")
    /// Red 5, green 6, blue 5 bits in 16, little-endian.
    package static let rgb565 = PixelFormat("RGBP")
    /// Packed blue, green, red and one unused byte.
    package static let bgrx32 = PixelFormat("XR24")
    /// An H.264 stream, in which a frame depends on earlier ones.
    package static let h264 = PixelFormat("H264")

    /// Whether samples are raw sensor values behind a colour mosaic (`V4L2_PIX_FMT_SRGGB…` and the like).
    ///
    /// They are not exposed or balanced: they are used only if a profile asks for them, and developed first.
    package var isBayer: Bool { BayerLayout(self) != nil || Self.otherBayerCodes.contains(description) }

    /// Those that ``BayerLayout`` does not describe.
    private static let otherBayerCodes: Set<String> = [
        // 8 bits, compressed from 10.
        "aBA8", "aGA8", "agA8", "aRA8", "bBA8", "bGA8", "BD10", "bRA8",
        // Intel's IPU3, and the Raspberry Pi's PiSP.
        "ip3b", "ip3g", "ip3G", "ip3r", "PC1B", "PC1G", "PC1g", "PC1R", "PC2B", "PC2G", "PC2g", "PC2R",
    ]

    /// Whether each frame is a JPEG, which is stored unchanged.
    package var isJPEG: Bool { self == .motionJPEG || self == .jpeg }

    /// The four characters.
    package var description: String {
        String(decoding: (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }, as: UTF8.self)
    }
}
