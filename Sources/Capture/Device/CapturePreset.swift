package import PhotoModel

/// A named choice among a camera's formats, like AVFoundation's session presets.
package enum CapturePreset: String, Hashable, Sendable, Codable, CaseIterable {
    /// The largest picture at 10 or more frames a second, so that a Live Photo still moves.
    case photo
    /// The largest picture, whatever its rate.
    case max
    /// Up to 1920x1080 at the highest rate.
    case high
    /// Up to 1280x720 at the highest rate.
    case medium
    /// Up to 640x480 at the highest rate.
    case low

    /// The most pixels of a picture; nil for any.
    fileprivate var largestPixelCount: Int? {
        switch self {
        case .photo, .max: nil
        case .high: 1920 * 1080
        case .medium: 1280 * 720
        case .low: 640 * 480
        }
    }

    /// The lowest frame rate.
    fileprivate var lowestRate: Double { self == .photo ? 10 : 0 }
}

/// The requested format; unspecified parts are left to the preset.
package struct FormatChoice: Hashable, Sendable {
    /// The preset.
    package var preset = CapturePreset.photo
    /// Exactly this width and height; nil for the preset's.
    package var size: PixelSize?
    /// At most this many frames a second; nil for the highest rate.
    package var framesPerSecond: Double?

    /// Which pixel formats will do.
    package var pixels = PixelChoice.any

    /// Which pixel formats will do for a still's file.
    package enum PixelChoice: Hashable, Sendable {
        /// Any of which a JPEG can be made.
        case any
        /// Those that the camera has not compressed.
        case uncompressed
        /// A sensor's raw samples.
        case bayer

        func accepts(_ format: PixelFormat) -> Bool {
            switch self {
            case .any: !format.isBayer
            case .uncompressed: !format.isBayer && !format.isJPEG
            case .bayer: BayerLayout(format) != nil
            }
        }
    }

    /// The preset `photo`.
    package init() {}

    /// The best of a camera's formats; nil if none has the size and pixels, or the camera has none at all.
    ///
    /// Among equal sizes and rates the compressed format wins, because it is stored unchanged.
    package func format(among formats: [CaptureFormat]) -> CaptureFormat? {
        let exact = formats.filter { (size == nil || $0.size == size) && pixels.accepts($0.pixelFormat) }
        // A camera may be slower or larger than the preset: then its nearest format is used.
        let fast = exact.filter { $0.frameInterval.framesPerSecond >= (size == nil ? preset.lowestRate : 0) }
        let candidates = fast.isEmpty ? exact : fast
        let limit = size == nil ? preset.largestPixelCount : nil
        let small = candidates.filter { limit == nil || $0.size.pixelCount <= limit ?? .max }
        guard !small.isEmpty else { return candidates.min { $0.size.pixelCount < $1.size.pixelCount } }
        return small.max { rank($0).lexicographicallyPrecedes(rank($1)) }
    }

    /// Larger is better: size, then a rate within the limit, then compression.
    private func rank(_ format: CaptureFormat) -> [Double] {
        let rate = format.frameInterval.framesPerSecond
        let wanted = framesPerSecond ?? .infinity
        // A rate above the limit is better than none, the less above the better.
        let fit = rate <= wanted * 1.001 ? rate : -rate
        return [Double(format.size.pixelCount), fit, format.pixelFormat.isJPEG ? 1 : 0]
    }
}

extension PixelSize {
    fileprivate var pixelCount: Int { width * height }
}
