/// When a capture happened, with the evidence for it; data, never an ordering for merges.
///
/// A box without a battery-backed clock may boot in 1970. The monotonic reading and the boot it belongs to stay true, so
/// that all captures of a boot can be corrected once the right time is learned.
public struct CaptureTime: Hashable, Sendable, Codable {
    /// What the time was taken from.
    public struct Source: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        public let rawValue: String
        /// Any name; unknown ones are kept.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The box's own clock at the shutter.
        public static let deviceClock = Source(rawValue: "deviceClock")
        /// The date inside the file: EXIF, XMP or the movie's metadata.
        public static let fileMetadata = Source(rawValue: "fileMetadata")
        /// The file's modification time, for want of anything better.
        public static let fileModification = Source(rawValue: "fileModification")
        /// The box's clock, corrected later from an offset learned in the same boot.
        public static let corrected = Source(rawValue: "corrected")
        /// A satellite receiver.
        public static let satellite = Source(rawValue: "satellite")
    }

    /// The instant, as well as it is known.
    public var wall: WallTime
    /// Seconds east of UTC on the clock on the wall there and then; nil when unknown.
    public var utcOffsetSeconds: Int?
    /// Nanoseconds of `CLOCK_MONOTONIC` at the shutter; nil for imports.
    public var monotonicNanoseconds: UInt64?
    /// The boot that the monotonic reading belongs to.
    public var bootID: BootID?
    /// What the time was taken from.
    public var source: Source
    /// Whether the clock was synchronised (`adjtimex` without `STA_UNSYNC`) when it was read.
    public var isSynchronized: Bool

    /// Takes the evidence as it is.
    public init(
        wall: WallTime,
        utcOffsetSeconds: Int? = nil,
        monotonicNanoseconds: UInt64? = nil,
        bootID: BootID? = nil,
        source: Source,
        isSynchronized: Bool
    ) {
        self.wall = wall
        self.utcOffsetSeconds = utcOffsetSeconds
        self.monotonicNanoseconds = monotonicNanoseconds
        self.bootID = bootID
        self.source = source
        self.isSynchronized = isSynchronized
    }

    /// How well a time is known that was learned over a network: a nearer one is not made better by it.
    private static let learnedAccuracy = Duration.seconds(1)

    /// The same capture with the right time, once it is known what the monotonic clock's zero was in real time.
    ///
    /// A wall clock that was off by less than what such a time is known by was right, and stays as it is.
    ///
    /// - Parameters:
    ///   - bootID: the boot in which the right time was learned.
    ///   - monotonicEpoch: the real time at which that boot's monotonic clock read 0.
    /// - Returns: the corrected time; nil when the capture was of another boot, has no monotonic reading, or was taken
    ///   by a synchronised clock.
    public func corrected(bootID: BootID, monotonicEpoch: WallTime) -> CaptureTime? {
        guard !isSynchronized, self.bootID == bootID, let monotonicNanoseconds else { return nil }
        var copy = self
        copy.isSynchronized = true
        let learned = monotonicEpoch.advanced(by: .microseconds(Int64(monotonicNanoseconds / 1000)))
        let difference = learned.duration(since: wall)
        guard max(difference, .zero - difference) >= Self.learnedAccuracy else { return copy }
        copy.wall = learned
        copy.source = .corrected
        return copy
    }
}
