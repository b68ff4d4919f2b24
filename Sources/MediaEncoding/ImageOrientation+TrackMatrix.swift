import MediaFormats
import PhotoModel

extension ImageOrientation {
    /// The matrix of a track's header (QuickTime File Format, "Track header atoms") that shows stored pictures of this
    /// size upright, as written to the file.
    ///
    /// Nine numbers, row by row: `a b u c d v x y w`, of which `u v w` have 30 bits after the point and the others 16.
    /// A point is multiplied from the left; `x` and `y` move the rotated picture back to the origin.
    func trackMatrix(size: PixelSize) -> [Int32] {
        let (width, height) = (size.width, size.height)
        let parts: [Int] =
            switch self {
            case .up: [1, 0, 0, 1, 0, 0]
            case .upMirrored: [-1, 0, 0, 1, width, 0]
            case .down: [-1, 0, 0, -1, width, height]
            case .downMirrored: [1, 0, 0, -1, 0, height]
            case .leftMirrored: [0, 1, 1, 0, 0, 0]
            case .right: [0, 1, -1, 0, height, 0]
            case .rightMirrored: [0, -1, -1, 0, height, width]
            case .left: [0, -1, 1, 0, 0, width]
            }
        let fixed = parts.map { Int32(clamping: $0 * 65_536) }
        return [fixed[0], fixed[1], 0, fixed[2], fixed[3], 0, fixed[4], fixed[5], 1 << 30]
    }
}
