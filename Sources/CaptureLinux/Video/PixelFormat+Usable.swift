import Capture

extension PixelFormat {
    /// The formats that the session can make pictures of, those that cost least first.
    ///
    /// H.264 is none: its frames need those before them, so that neither a still nor the beginning of a movie can be cut
    /// out. Raw sensor formats are left out, too: see ``PixelFormat/isBayer``.
    static let usable: [PixelFormat] = [
        .motionJPEG, .jpeg,
        .nv12, .nv21, .i420, .yv12, .nv12Planes, .nv21Planes, .i420Planes, .yv12Planes,
        .yuyv, .uyvy, .yvyu,
        .rgb24, .bgr24, .bgrx32, .rgb565,
        .grey, .grey10, .grey16,
    ]

    /// The formats that nothing here understands but libv4lconvert does.
    ///
    /// They are layouts of webcams from before the class USB video, and a few rare ones. They are offered only by a camera
    /// that has nothing else.
    static let convertible: [PixelFormat] = [
        PixelFormat("S501"), PixelFormat("S505"), PixelFormat("S508"), PixelFormat("S561"), PixelFormat("P207"),
        PixelFormat("M310"), PixelFormat("JL20"), PixelFormat("SONX"), PixelFormat("905C"), PixelFormat("PJPG"),
        PixelFormat("O511"), PixelFormat("O518"), PixelFormat("S680"), PixelFormat("TM60"), PixelFormat("CITV"),
        PixelFormat("KONI"), PixelFormat("S401"), PixelFormat("S910"), PixelFormat("S920"), PixelFormat("CPIA"),
        PixelFormat("M420"), PixelFormat("HM12"), PixelFormat("Y41P"), PixelFormat("Y04 "), PixelFormat("Y06 "),
        PixelFormat("Y10B"), PixelFormat("BGR4"), PixelFormat("RGB4"), PixelFormat("HSV3"), PixelFormat("HSV4"),
    ]

    /// Whether pictures can be made of it, directly or by conversion.
    var canBeRead: Bool { Self.usable.contains(self) || Self.convertible.contains(self) }
}
