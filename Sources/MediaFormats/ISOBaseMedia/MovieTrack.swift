package import PhotoModel

/// One track of a movie: pictures, sound, or timed metadata.
package struct MovieTrack: Hashable, Sendable {
    /// What a track holds (`hdlr`, ISO/IEC 14496-12, 8.4.3).
    package enum Kind: Hashable, Sendable {
        /// Handler `vide`.
        case video
        /// Handler `soun`.
        case audio
        /// Handler `meta`: timed metadata.
        case metadata
        /// Any other handler.
        case unrecognized(FourCharacterCode)

        init(handler: FourCharacterCode) {
            switch handler {
            case "vide": self = .video
            case "soun": self = .audio
            case "meta": self = .metadata
            default: self = .unrecognized(handler)
            }
        }
    }

    /// The number by which other tracks refer to it.
    package let id: UInt32
    /// Its kind.
    package let kind: Kind
    /// The codec: the type of the first sample description, such as `avc1`, `hvc1`, `mp4a`, `mebx`.
    package let codec: FourCharacterCode?
    /// The duration of its media, in the media's units; nil if unknown.
    package let mediaDuration: MediaTime?
    /// Units per second of its media; 0 in a broken file.
    package let mediaTimescale: UInt32
    /// When its media is shown.
    package let edits: EditList
    /// The size of the stored pictures; nil for other tracks.
    package let codedSize: PixelSize?
    /// How the pictures are rotated when shown; nil if the matrix is not one of the eight.
    package let orientation: ImageOrientation?
    /// The number of samples.
    package let sampleCount: UInt64
    /// Samples per second over the whole media; nil if it has no duration.
    package let sampleRate: Double?
    /// The names of the values that a timed metadata track may hold, by their local number.
    package let timedKeys: [UInt32: String]
    /// The track it describes (`tref/cdsc`); nil if none.
    package let describedTrack: UInt32?

    /// When its first sample is shown; nil if never.
    package func firstPresentationTime(movieTimescale: UInt32) -> MediaTime? {
        guard sampleCount > 0, let start = MediaTime(value: 0, timescale: mediaTimescale) else { return nil }
        return edits.presentationTime(of: start, movieTimescale: movieTimescale)
    }
}
