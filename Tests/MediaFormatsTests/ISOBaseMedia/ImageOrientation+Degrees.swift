import MediaFormats

extension ImageOrientation {
    /// The clockwise rotation in degrees, applied after any left-right mirroring: 0 to 270.
    var clockwiseDegrees: Int {
        switch self {
        case .up, .upMirrored: 0
        case .right, .rightMirrored: 90
        case .down, .downMirrored: 180
        case .left, .leftMirrored: 270
        }
    }
}
