/// How a capture came about, as the box tells it: data for people, never an input to decisions.
public struct CaptureFacts: Hashable, Sendable, Codable {
    /// The longest trigger, in bytes of UTF-8.
    public static let maximumTriggerByteCount = 128

    /// What made the shutter fall: a kind, and a name where there is one, for example `timer`.
    public var trigger: String?
    /// How much later than asked for the frame was taken, in microseconds; negative when it was earlier.
    public var lagMicroseconds: Int64?

    /// Takes the facts as they are.
    public init(trigger: String? = nil, lagMicroseconds: Int64? = nil) {
        self.trigger = trigger
        self.lagMicroseconds = lagMicroseconds
    }
}
