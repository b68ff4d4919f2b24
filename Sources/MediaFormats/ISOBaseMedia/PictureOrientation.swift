/// How a stored picture is turned and mirrored to be shown; raw values are EXIF's (CIPA DC-008, tag 274).
package enum PictureOrientation: UInt16, Hashable, Sendable, CaseIterable {
    /// As stored.
    case up = 1
    /// Left and right exchanged.
    case upMirrored = 2
    /// Turned by 180 degrees.
    case down = 3
    /// Top and bottom exchanged.
    case downMirrored = 4
    /// Rows and columns exchanged.
    case leftMirrored = 5
    /// Turned by 90 degrees clockwise.
    case right = 6
    /// Rows and columns exchanged, then turned by 180 degrees.
    case rightMirrored = 7
    /// Turned by 270 degrees clockwise.
    case left = 8

    /// True when width and height change places.
    package var exchangesAxes: Bool { rawValue >= 5 }

    /// Degrees clockwise, without the mirroring: 0, 90, 180 or 270.
    package var clockwiseDegrees: Int {
        switch self {
        case .up, .upMirrored: 0
        case .right, .leftMirrored: 90
        case .down, .downMirrored: 180
        case .left, .rightMirrored: 270
        }
    }

    /// Where the stored picture's x and y axes point when it is shown, with y downwards; one of -1, 0 and 1 each.
    private var axes: (a: Int, b: Int, c: Int, d: Int) {
        switch self {
        case .up: (1, 0, 0, 1)
        case .upMirrored: (-1, 0, 0, 1)
        case .down: (-1, 0, 0, -1)
        case .downMirrored: (1, 0, 0, -1)
        case .leftMirrored: (0, 1, 1, 0)
        case .right: (0, 1, -1, 0)
        case .rightMirrored: (0, -1, -1, 0)
        case .left: (0, -1, 1, 0)
        }
    }

    /// The orientation whose x axis points to (a, b) and whose y axis points to (c, d); nil for any other matrix.
    init?(a: Int, b: Int, c: Int, d: Int) {
        for candidate in Self.allCases where candidate.axes == (a, b, c, d) {
            self = candidate
            return
        }
        return nil
    }

    /// This orientation, then another one.
    package func followed(by next: PictureOrientation) -> PictureOrientation {
        let (first, second) = (axes, next.axes)
        return PictureOrientation(
            a: first.a * second.a + first.b * second.c,
            b: first.a * second.b + first.b * second.d,
            c: first.c * second.a + first.d * second.c,
            d: first.c * second.b + first.d * second.d
        ) ?? self
    }
}
