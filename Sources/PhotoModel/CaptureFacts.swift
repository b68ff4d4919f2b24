/// How a capture came about, as the box tells it: data for people, never an input to decisions.
public struct CaptureFacts: Hashable, Sendable, Codable {
    /// The longest trigger, in bytes of UTF-8.
    public static let maximumTriggerByteCount = 128

    /// What made the shutter fall: a kind, and a name where there is one, for example `timer`.
    public var trigger: String?
    /// How much later than asked for the frame was taken, in microseconds; negative when it was earlier.
    public var lagMicroseconds: Int64?
    /// Whether a Live Photo was asked for and its movie never came; nil for no.
    public var isLivePhotoIncomplete: Bool?

    /// The facts of one shot, each nil where nobody knows it.
    public init(trigger: String? = nil, lagMicroseconds: Int64? = nil, isLivePhotoIncomplete: Bool? = nil) {
        self.trigger = trigger
        self.lagMicroseconds = lagMicroseconds
        self.isLivePhotoIncomplete = isLivePhotoIncomplete
    }

    /// Reads the facts; a lag is held to a year.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let year: Int64 = 366 * 86_400 * 1_000_000
        self.init(
            trigger: try container.decodeIfPresent(String.self, forKey: .trigger),
            lagMicroseconds: try container.decodeIfPresent(Int64.self, forKey: .lagMicroseconds)?
                .clamped(to: -year...year),
            isLivePhotoIncomplete: try container.decodeIfPresent(Bool.self, forKey: .isLivePhotoIncomplete)
        )
    }
}
