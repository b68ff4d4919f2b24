/// The file format of a still.
package enum StillFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// JPEG; a camera's own JPEG is stored without loss.
    case jpeg
    /// HEIC: half the size at a hundred times the work.
    case heic
    /// AVIF: smaller still, and made as fast.
    case avif
    /// All samples of a camera that does not compress, in a PNG file.
    case png
    /// The sensor's raw data in a DNG file.
    case dng

    /// The pixels that it is made of.
    package var pixels: FormatChoice.PixelChoice {
        switch self {
        case .jpeg, .heic, .avif: .any
        case .png: .uncompressed
        case .dng: .bayer
        }
    }

    /// The file name extension.
    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }
}
