/// Decodes kept frames to small grey pictures, on its own thread and never on the camera's.
package protocol GreyDecoder: Sendable {
    /// The luma of a JPEG at an eighth of its size; nil if the frame is damaged.
    func greyPicture(of frame: Frame) async -> GreyPicture?
}

/// The motion seen by a camera, as an endless sequence of events.
///
/// The work is done while the reader waits for the next event: the newest frame is examined a few times a second, so
/// that a slow reader or a busy box skips pictures and never delays anything. Cancelling the reader ends it.
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

    /// Creates a monitor of the newest frame in a camera's ring; `newestFrame` returns nil while it has none.
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

    /// Starts watching.
    package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

    /// Detects motion while events are being requested.
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
        /// - Throws: `CancellationError` if the task is cancelled.
        package mutating func next() async throws -> MotionEvent? {
            while waiting.isEmpty {
                let now = monitor.clock.reading().monotonic
                // Late pictures are skipped, so that a busy box does not get busier.
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
