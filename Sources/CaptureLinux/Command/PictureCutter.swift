import MediaFormats
package import PhotoModel

/// Cuts what a program writes into pictures.
struct PictureCutter {
    /// One piece of what was written.
    enum Piece {
        /// A whole picture.
        case picture([UInt8])
        /// Part of a picture.
        case broken
        /// Something else.
        case garbage
    }

    /// The stream of JPEGs; nil for raw pictures.
    private var stream: MotionJPEGStream?
    /// What came of a raw picture.
    private var planes: [UInt8] = []
    private let planesByteCount: Int

    /// Nothing was written yet.
    init(_ pictures: CameraProgram.Pictures) {
        switch pictures {
        case .motionJPEG:
            stream = MotionJPEGStream(longestFrame: CameraProgram.longestJPEG)
            planesByteCount = 0
        case .planes(let size, _):
            planesByteCount = size.planesByteCount
        }
    }

    /// Takes bytes and gives the pieces that are complete with them.
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

    /// Nothing follows: what is left of a picture that was under way.
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
    /// Bytes of a picture in planes of 4:2:0.
    package var planesByteCount: Int { width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2) }
}
