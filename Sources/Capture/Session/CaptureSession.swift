import PhotoModel

/// Runs a camera, and optionally a microphone, and takes shots.
///
/// ```
/// group.addTask { await session.run() }
/// try await session.configure { $0.camera = try CameraInput(camera, consent: consent) }
/// try await session.start()
/// let shot = try await session.capturePhoto(with: settings)
/// for await event in shot.events { … }
/// await session.shutdown()
/// ```
///
/// The API follows AVFoundation's. All tasks of the session, one per device and one per shot, are children of
/// ``run()``.
package actor CaptureSession {
    /// The session's state.
    package enum State: Sendable {
        /// No device is open.
        case stopped
        /// Frames are arriving.
        case running
        /// The camera is gone or stuck; frames resume by themselves once it is back.
        case interrupted(CaptureError)
        /// A device ended by itself; ``CaptureSession/start()`` retries.
        case failed(CaptureError)
    }

    /// Whether ``run()`` is running.
    private enum Loop {
        case notBegun, active, over
    }

    /// How far the rings reach back beyond the pre-roll, to cover the time it takes to start a shot.
    static let ringMargin = Duration.milliseconds(500)

    let clock: any CaptureClock
    let recorder: any CaptureRecorder
    let compressor: any FrameCompressor
    let audioDeadline = AudioDeadline()
    private let jobs: AsyncStream<@Sendable () async -> Void>
    let jobSink: AsyncStream<@Sendable () async -> Void>.Continuation

    /// The session's state.
    package internal(set) var state = State.stopped
    /// The current pipeline.
    package internal(set) var configuration = SessionConfiguration()
    var camera: RunningCamera?
    var microphone: RunningMicrophone?
    var shots = InFlightCaptures()
    /// Whether a bracket holds the camera's exposure.
    var isBracketing = false
    private var loop = Loop.notBegun
    /// Whether the pipeline is being changed, so that no shot can start.
    private(set) var isChanging = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var activityObservers: [Int: AsyncStream<CaptureActivity>.Continuation] = [:]
    private var lastObserverID = 0

    /// A session without devices; the clock is theirs.
    package init(clock: any CaptureClock, recorder: any CaptureRecorder, compressor: any FrameCompressor) {
        self.clock = clock
        self.recorder = recorder
        self.compressor = compressor
        (jobs, jobSink) = AsyncStream.makeStream()
    }

    /// Runs the session until ``shutdown()``; cancelling the task ends it at once and leaves no partial file.
    package func run() async {
        loop = .active
        changed()
        await withDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { await job() } }
        }
        loop = .over
        changed()
    }

    /// Stops, finishes the current shots, and ends ``run()`` permanently.
    package func shutdown() async {
        await stop()
        jobSink.finish()
    }

    /// Starts the devices and waits for the first usable frame; does nothing if they are running.
    ///
    /// It waits until another task has called ``run()``.
    ///
    /// - Throws: `configurationFailed` without a camera, and what opening the devices throws.
    package func start() async throws(CaptureError) {
        try await exclusively { () throws(CaptureError) in
            try configuration.check()
            guard camera == nil else { return }
            try await startMicrophone()
            do throws(CaptureError) {
                try await replaceCamera(with: configuration.camera)
            } catch {
                await closeMicrophone(.stopped)
                throw error
            }
            state = .running
        }
    }

    /// Ends recordings at this point, waits for their files, and closes the devices; does nothing when stopped.
    package func stop() async {
        await waitForTurn()
        await closeCamera(.stopped)
        await closeMicrophone(.stopped)
        await waitUntil { shots.activity.inFlightCount == 0 }
        state = .stopped
        endTurn()
    }

    /// Changes the pipeline atomically; if the change throws, nothing changes.
    ///
    /// Current shots are finished first, and new ones refused with `reconfiguring` meanwhile. Unchanged devices keep
    /// running; a new device delivers before the old one is closed.
    ///
    /// - Throws: `configurationFailed` for a pipeline that is invalid or cannot be opened; the old one keeps running.
    package func configure(
        _ change: @Sendable (inout SessionConfiguration) throws(CaptureError) -> Void
    ) async throws(CaptureError) {
        try await exclusively { () throws(CaptureError) in
            var wanted = configuration
            try change(&wanted)
            try wanted.check()
            guard camera != nil else { return configuration = wanted }
            await waitUntil { shots.activity.inFlightCount == 0 }
            let old = configuration
            do throws(CaptureError) {
                try await replaceMicrophone(with: wanted.microphone)
                try await replaceCamera(with: wanted.camera)
            } catch {
                try? await replaceMicrophone(with: old.microphone)
                throw CaptureError(
                    .configurationFailed,
                    "the new pipeline could not be started",
                    deviceID: error.deviceID,
                    cause: error
                )
            }
            configuration = wanted
            applyOutput()
        }
    }

    /// The current activity.
    package var activity: CaptureActivity { shots.activity }

    /// The camera's frame counts since its start; nil if it is not running.
    package var frameCounts: FrameCounts? { camera?.pipeline.counts }

    /// The newest kept frame; nil while the camera is not running.
    package var newestFrame: Frame? { camera?.pipeline.ring.newest }

    /// The current activity and every change; a slow reader skips outdated values.
    package func activityUpdates() -> AsyncStream<CaptureActivity> {
        let (stream, continuation) = AsyncStream<CaptureActivity>.makeStream(bufferingPolicy: .bufferingNewest(1))
        lastObserverID += 1
        let id = lastObserverID
        activityObservers[id] = continuation
        continuation.yield(activity)
        return stream
    }

    /// Waits until the session stops running, and returns why a device ended by itself; nil if it was stopped.
    package func waitUntilEnded() async -> CaptureError? {
        await waitUntil { isOver }
        guard case .failed(let error) = state else { return nil }
        return error
    }

    /// Waits until fewer than `count` shots are in progress, or the session stops running.
    package func waitUntilFewer(than count: Int) async {
        await waitUntil { isOver || shots.activity.inFlightCount < count }
    }

    /// Whether there are no frames, and will be none until the session is started again.
    private var isOver: Bool {
        switch state {
        case .stopped, .failed: true
        default: false
        }
    }

    // MARK: Shared by the session's parts

    /// Starts a job owned by ``run()``.
    func spawn(_ job: @escaping @Sendable () async -> Void) {
        jobSink.yield(job)
    }

    /// Handles a report about a shot's progress.
    func report(_ input: PhotoCaptureMachine.Input, of id: AssetID) {
        let before = activity
        shots.report(input, of: id)
        if activity != before { changed() }
    }

    /// Notifies observers and waiters of a change.
    func changed() {
        let activity = activity
        activityObservers = activityObservers.filter { _, observer in
            if case .terminated = observer.yield(activity) { return false }
            return true
        }
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    /// Waits for a condition on the session's state, which is checked after each change.
    func waitUntil(_ condition: () -> Bool) async {
        while !condition() {
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    private func waitForTurn() async {
        await waitUntil { !isChanging }
        isChanging = true
    }

    private func endTurn() {
        isChanging = false
        changed()
    }

    private func exclusively(_ work: () async throws(CaptureError) -> Void) async throws(CaptureError) {
        await waitUntil { loop != .notBegun && !isChanging }
        guard loop == .active else {
            throw CaptureError(.notRunning, "the session was shut down; make a new one")
        }
        isChanging = true
        defer { endTurn() }
        try await work()
    }
}
