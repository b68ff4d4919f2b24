/// Orientations as transformations of a picture's axes, which movies store as a matrix and HEIF in steps.
extension ImageOrientation {
    /// Where the stored picture's x axis (a, b) and y axis (c, d) point when shown; y counts downwards.
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

    /// This orientation followed by another one.
    package func followed(by next: ImageOrientation) -> ImageOrientation {
        let (first, second) = (axes, next.axes)
        return ImageOrientation(
            a: first.a * second.a + first.b * second.c,
            b: first.a * second.b + first.b * second.d,
            c: first.c * second.a + first.d * second.c,
            d: first.c * second.b + first.d * second.d
        ) ?? self
    }
}
