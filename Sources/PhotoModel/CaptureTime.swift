/// When a capture happened, with the evidence; information, never an ordering for merges.
///
/// A box without a battery-backed clock may boot in 1970. The monotonic reading and its boot stay valid, so that all
/// captures of a boot can be corrected once the right time is learned.
public struct CaptureTime: Hashable, Sendable, Codable {
    /// The source of the time.
    public struct Source: RawRepresentable, Hashable, Sendable, Codable {
        /// The name on the wire.
        public let rawValue: String
        /// Any name; unknown ones are kept.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The box's own clock at the shutter.
        public static let deviceClock = Source(rawValue: "deviceClock")
        /// The date inside the file: EXIF, XMP or the movie's metadata.
        public static let fileMetadata = Source(rawValue: "fileMetadata")
        /// The file's modification time, as a last resort.
        public static let fileModification = Source(rawValue: "fileModification")
        /// The box's clock, corrected later from an offset learned in the same boot.
        public static let corrected = Source(rawValue: "corrected")
        /// A satellite receiver.
        public static let satellite = Source(rawValue: "satellite")
    }

    /// The best known instant.
    public var wall: WallTime
    /// The local offset at that place and time, in seconds east of UTC; nil if unknown.
    ///
    /// For a file without an offset, imports write the one by which they took its date.
    public var utcOffsetSeconds: Int?
    /// Nanoseconds of `CLOCK_MONOTONIC` at the shutter; nil for imports.
    public var monotonicNanoseconds: UInt64?
    /// The boot of the monotonic reading.
    public var bootID: BootID?
    /// The source of the time.
    public var source: Source
    /// Whether the box's clock was synchronised when read (`adjtimex` without `STA_UNSYNC`); PhotoKit has no such field.
    ///
    /// It says nothing about a date from a file, whose clock is unknown: imports write false; earlier versions wrote true.
    public var isSynchronized: Bool

    /// Describes the evidence.
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

    /// The accuracy of a time learned over the network: it does not improve a closer one.
    private static let learnedAccuracy = Duration.seconds(1)

    /// The same capture with the corrected time, once the real time of the monotonic clock's zero is known.
    ///
    /// A wall clock that was off by less than that time's accuracy is left alone.
    ///
    /// - Parameters:
    ///   - bootID: the boot in which the right time was learned.
    ///   - monotonicEpoch: the real time at which that boot's monotonic clock read 0.
    /// - Returns: the corrected time; nil if the capture was of another boot, has no monotonic reading, or was taken
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
