package import Capture

extension PixelFormat {
    /// The formats the session can use, cheapest first.
    ///
    /// H.264 is excluded: its frames depend on earlier ones, so neither a still nor the beginning of a movie can be cut
    /// out. So are raw sensor formats, which are not pictures: see ``PixelFormat/isBayer``.
    static let usable: [PixelFormat] = [
        .motionJPEG, .jpeg,
        .nv12, .nv21, .i420, .yv12, .nv12Planes, .nv21Planes, .i420Planes, .yv12Planes,
        .yuyv, .uyvy, .yvyu,
        .rgb24, .bgr24, .bgrx32, .rgb565,
        .grey, .grey10, .grey16,
    ]

    /// The formats that only libv4lconvert understands.
    ///
    /// They are layouts of webcams from before USB Video Class, and a few rare ones. They are offered only by a camera
    /// without any other.
    static let convertible: [PixelFormat] = [
        PixelFormat("S501"), PixelFormat("S505"), PixelFormat("S508"), PixelFormat("S561"), PixelFormat("P207"),
        PixelFormat("M310"), PixelFormat("JL20"), PixelFormat("SONX"), PixelFormat("905C"), PixelFormat("PJPG"),
        PixelFormat("O511"), PixelFormat("O518"), PixelFormat("S680"), PixelFormat("TM60"), PixelFormat("CITV"),
        PixelFormat("KONI"), PixelFormat("S401"), PixelFormat("S910"), PixelFormat("S920"), PixelFormat("CPIA"),
        PixelFormat("M420"), PixelFormat("HM12"), PixelFormat("Y41P"), PixelFormat("Y04 "), PixelFormat("Y06 "),
        PixelFormat("Y10B"), PixelFormat("BGR4"), PixelFormat("RGB4"), PixelFormat("HSV3"), PixelFormat("HSV4"),
    ]

    /// Why its frames cannot become pictures.
    package var refusal: String {
        isBayer
            ? "frames in \(self) are a sensor's raw samples, not pictures. \(MediaController.nextStep)"
            : "frames in \(self) cannot be used: a still cannot be cut out of them"
    }

    /// Whether it can be used, directly or by conversion.
    var canBeRead: Bool { Self.usable.contains(self) || Self.convertible.contains(self) }
}
