/// How a capture was made, as reported by the box: information for people, never an input to decisions.
public struct CaptureFacts: Hashable, Sendable, Codable {
    /// The longest trigger, in bytes of UTF-8.
    public static let maximumTriggerByteCount = 128

    /// The longest mask, in bytes of UTF-8.
    public static let maximumMaskByteCount = 2048

    /// What triggered the shutter: a kind, optionally with a name, for example `timer`.
    public var trigger: String?
    /// How much later than requested the frame was taken, in microseconds; negative if earlier.
    public var lagMicroseconds: Int64?
    /// Whether a Live Photo was requested but its movie never came; nil for no.
    public var isLivePhotoIncomplete: Bool?

    /// The parts of the picture that the box blackened before it kept anything: polygons separated by `; `, their corners
    /// `x,y` by blanks, from 0 to 1, right and down; nil for none.
    public var mask: String?
    /// SHA-256 of ``mask``, by which captures with one mask are known.
    public var maskDigest: ContentDigest?

    /// The facts of one shot, nil if unknown.
    public init(
        trigger: String? = nil,
        lagMicroseconds: Int64? = nil,
        isLivePhotoIncomplete: Bool? = nil,
        mask: String? = nil,
        maskDigest: ContentDigest? = nil
    ) {
        self.trigger = trigger
        self.lagMicroseconds = lagMicroseconds
        self.isLivePhotoIncomplete = isLivePhotoIncomplete
        self.mask = mask
        self.maskDigest = maskDigest
    }

    /// Decodes the facts; the lag is clamped to a year.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let year: Int64 = 366 * 86_400 * 1_000_000
        self.init(
            trigger: try container.decodeIfPresent(String.self, forKey: .trigger),
            lagMicroseconds: try container.decodeIfPresent(Int64.self, forKey: .lagMicroseconds)?
                .clamped(to: -year...year),
            isLivePhotoIncomplete: try container.decodeIfPresent(Bool.self, forKey: .isLivePhotoIncomplete),
            mask: try container.decodeIfPresent(String.self, forKey: .mask),
            maskDigest: try container.decodeIfPresent(ContentDigest.self, forKey: .maskDigest)
        )
    }
}
