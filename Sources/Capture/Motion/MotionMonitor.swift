/// Makes small grey pictures of kept frames, on a thread of its own and never on the camera's.
package protocol GreyDecoder: Sendable {
    /// Decodes a frame at an eighth of its size.
    ///
    /// - Parameter frame: a JPEG.
    /// - Returns: its luma; nil when the frame is damaged.
    func greyPicture(of frame: Frame) async -> GreyPicture?
}

/// The motion that a camera sees, as a sequence of events without end.
///
/// The work is done while the reader waits for the next event: a frame is looked at a few times a second, the newest
/// one, so that a slow reader or a busy box misses pictures and never delays anything. Cancelling the reader ends it.
///
/// ```
/// let motion = MotionMonitor(settings, decoder: decoder, clock: clock) { await session.newestFrame }
/// for try await event in motion {
///     if case .chosen(let sighting) = event { … a shot whose requested time is sighting.time … }
/// }
/// ```
package struct MotionMonitor: AsyncSequence, Sendable {
    private let settings: MotionSettings
    private let decoder: any GreyDecoder
    private let clock: any CaptureClock
    private let newestFrame: @Sendable () async -> Frame?

    /// A monitor.
    ///
    /// - Parameters:
    ///   - settings: what counts as motion.
    ///   - decoder: makes small pictures.
    ///   - clock: when pictures are due.
    ///   - newestFrame: the newest frame that a camera's ring holds; nil while it has none.
    package init(
        _ settings: MotionSettings,
        decoder: any GreyDecoder,
        clock: any CaptureClock,
        newestFrame: @escaping @Sendable () async -> Frame?
    ) {
        self.settings = settings
        self.decoder = decoder
        self.clock = clock
        self.newestFrame = newestFrame
    }

    /// Begins to look.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Looks for motion as long as it is asked for events.
    package struct AsyncIterator: AsyncIteratorProtocol {
        private let monitor: MotionMonitor
        private let interval: Duration
        private var detector: MotionDetector
        private var waiting: ArraySlice<MotionEvent> = []
        private var due: MonotonicTime?

        init(_ monitor: MotionMonitor) {
            self.monitor = monitor
            interval = .seconds(1) / Swift.min(Swift.max(monitor.settings.picturesPerSecond, 1), 10)
            detector = MotionDetector(monitor.settings)
        }

        /// The next event.
        ///
        /// - Throws: `CancellationError` when the task is cancelled.
        package mutating func next() async throws -> MotionEvent? {
            while waiting.isEmpty {
                let now = monitor.clock.reading().monotonic
                // Late pictures are left out, so that a busy box is not made busier.
                let next = Swift.max(due?.advanced(by: interval) ?? now, now)
                due = next
                try await monitor.clock.sleep(until: next)
                guard let frame = await monitor.newestFrame(),
                    let picture = await monitor.decoder.greyPicture(of: frame)
                else { continue }
                waiting = detector.observe(picture, at: frame.timestamp)[...]
            }
            return waiting.popFirst()
        }
    }
}
