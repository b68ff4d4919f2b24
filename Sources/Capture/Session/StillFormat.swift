/// The file format of a still.
package enum StillFormat: String, Hashable, Sendable, Codable, CaseIterable {
    /// JPEG; a camera that delivers it is passed through without loss.
    case jpeg
    /// HEIC: half the size, and a hundred times the work.
    case heic
    /// PNG.
    case png
    /// The sensor's own data in a DNG file.
    case dng

    /// The ending of a file's name.
    package var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .heic: "heic"
        case .png: "png"
        case .dng: "dng"
        }
    }
}
