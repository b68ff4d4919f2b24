import MediaFormats
package import PhotoModel

/// Splits a program's output into pictures.
struct PictureCutter {
    /// One piece of the output.
    enum Piece {
        /// A whole picture.
        case picture([UInt8])
        /// Part of a picture.
        case broken
        /// Something else.
        case garbage
    }

    /// Splits JPEGs; nil for raw pictures.
    private var stream: MotionJPEGStream?
    /// The beginning of a raw picture.
    private var planes: [UInt8] = []
    private let planesByteCount: Int

    /// Starts before the first byte.
    init(_ pictures: CameraProgram.Pictures) {
        switch pictures {
        case .motionJPEG:
            stream = MotionJPEGStream(longestFrame: CameraProgram.longestJPEG)
            planesByteCount = 0
        case .planes(let size, _):
            planesByteCount = size.planesByteCount
        }
    }

    /// Consumes bytes and returns the pieces they complete.
    mutating func pieces(with bytes: ArraySlice<UInt8>) -> [Piece] {
        guard stream == nil else { return jpegs(with: bytes) }
        var pieces: [Piece] = []
        var rest = bytes
        while !rest.isEmpty {
            planes.reserveCapacity(planesByteCount)
            let taken = rest.prefix(planesByteCount - planes.count)
            planes += taken
            rest = rest.dropFirst(taken.count)
            guard planes.count == planesByteCount else { break }
            pieces.append(.picture(planes))
            planes = []
        }
        return pieces
    }

    /// Ends the output; `broken` if that cuts off a picture.
    mutating func lastPiece() -> Piece? {
        guard stream == nil else { return stream?.finish() == true ? .broken : nil }
        defer { planes = [] }
        return planes.isEmpty ? nil : .broken
    }

    private mutating func jpegs(with bytes: ArraySlice<UInt8>) -> [Piece] {
        stream?.append(bytes)
        var pieces: [Piece] = []
        while let piece = stream?.next() {
            switch piece {
            case .frame(let bytes): pieces.append(.picture(bytes))
            case .broken: pieces.append(.broken)
            case .garbage: pieces.append(.garbage)
            }
        }
        return pieces
    }
}

extension PixelSize {
    /// The bytes of a picture in 4:2:0 planes.
    package var planesByteCount: Int { width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2) }
}
