/// How to transform stored pixels to show them upright (Exif 2.32, tag 0x0112): where the 0th row and column are.
package enum ImageOrientation: Int, Hashable, Sendable, CaseIterable {
    /// Nothing.
    case up = 1
    /// Mirror left and right.
    case upMirrored = 2
    /// Rotate by 180 degrees.
    case down = 3
    /// Mirror top and bottom.
    case downMirrored = 4
    /// Mirror left and right, then rotate by 270 degrees clockwise.
    case leftMirrored = 5
    /// Rotate by 90 degrees clockwise.
    case right = 6
    /// Mirror left and right, then rotate by 90 degrees clockwise.
    case rightMirrored = 7
    /// Rotate by 270 degrees clockwise.
    case left = 8

    /// Whether width and height are swapped.
    package var isTransposed: Bool { rawValue >= 5 }
}
