import Capture

extension PixelFormat {
    /// The formats that the session can make pictures of, those that cost least first.
    ///
    /// H.264 is none: its frames need those before them, so that neither a still nor the beginning of a movie can be cut
    /// out. Sensors behind a media controller are libcamera's.
    static let usable: [PixelFormat] = [
        .motionJPEG, .jpeg,
        .nv12, .nv21, .i420, .yv12, .nv12Planes, .nv21Planes, .i420Planes, .yv12Planes,
        .yuyv, .uyvy, .yvyu,
        .rgb24, .bgr24, .bgrx32, .rgb565,
        .grey, .grey10, .grey16,
        .bayerBGGR, .bayerGBRG, .bayerGRBG, .bayerRGGB,
        .bayerBGGR10Packed, .bayerGBRG10Packed, .bayerGRBG10Packed, .bayerRGGB10Packed,
        .bayerBGGR10, .bayerGBRG10, .bayerGRBG10, .bayerRGGB10,
        .bayerBGGR16, .bayerGBRG16, .bayerGRBG16, .bayerRGGB16,
    ]
}
