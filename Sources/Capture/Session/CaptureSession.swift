import PhotoModel

/// A camera and perhaps a microphone at work, from which shots are taken.
///
/// ```
/// group.addTask { await session.run() }
/// try await session.configure { $0.setCamera(try CameraInput(camera, consent: consent)) }
/// try await session.start()
/// let shot = try await session.capturePhoto(with: settings)
/// for await event in shot.events { … }
/// await session.shutdown()
/// ```
///
/// The shape is AVFoundation's. All tasks of the session, one a device and one a shot, are children of ``run()``.
package actor CaptureSession {
    /// What the session is doing.
    package enum State: Sendable {
        /// No device is open.
        case stopped
        /// Frames are arriving.
        case running
        /// The camera is away or stuck; frames arrive again by themselves once it is back.
        case interrupted(CaptureError)
        /// A device ended by itself; ``CaptureSession/start()`` tries again.
        case failed(CaptureError)
    }

    /// Whether ``run()`` does the session's work.
    private enum Loop {
        case notBegun, active, over
    }

    /// How far back the rings reach beyond the pre-roll, for the time it takes a shot to be begun.
    static let ringMargin = Duration.milliseconds(500)

    let clock: any CaptureClock
    let recorder: any CaptureRecorder
    let compressor: any FrameCompressor
    let audioDeadline = AudioDeadline()
    private let jobs: AsyncStream<@Sendable () async -> Void>
    let jobSink: AsyncStream<@Sendable () async -> Void>.Continuation

    /// What the session is doing.
    package internal(set) var state = State.stopped
    /// The pipeline as it is.
    package internal(set) var configuration = SessionConfiguration()
    var camera: RunningCamera?
    var microphone: RunningMicrophone?
    var shots = InFlightCaptures()
    /// When set, movies begin no earlier, since Live Photos were suspended before.
    var liveFloor: MonotonicTime?
    /// Whether shots are taken without their movie for the time being.
    var isLivePhotoCaptureSuspended = false
    private var loop = Loop.notBegun
    private var isChanging = false
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var activityObservers: [Int: AsyncStream<CaptureActivity>.Continuation] = [:]
    private var lastObserverID = 0

    /// A session without devices.
    ///
    /// - Parameters:
    ///   - clock: the clock that devices stamp with.
    ///   - recorder: makes the files.
    ///   - compressor: makes JPEGs of raw frames.
    package init(clock: any CaptureClock, recorder: any CaptureRecorder, compressor: any FrameCompressor) {
        self.clock = clock
        self.recorder = recorder
        self.compressor = compressor
        (jobs, jobSink) = AsyncStream.makeStream()
    }

    /// Does the work of the session until ``shutdown()``; a cancelled task ends it at once and leaves no half file.
    package func run() async {
        loop = .active
        changed()
        await withDiscardingTaskGroup { group in
            for await job in jobs { group.addTask { await job() } }
        }
        loop = .over
        changed()
    }

    /// Stops, finishes the shots under way, and ends ``run()`` for good.
    package func shutdown() async {
        await stop()
        jobSink.finish()
    }

    /// Starts the devices and waits for the first usable frame; does nothing when they run.
    ///
    /// It waits for ``run()`` to be called, by another task.
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

    /// Ends recordings where they are, waits for their files, and closes the devices; does nothing when stopped.
    package func stop() async {
        await waitForTurn()
        await closeCamera(.stopped)
        await closeMicrophone(.stopped)
        await waitUntil { shots.activity.inFlightCount == 0 }
        state = .stopped
        endTurn()
    }

    /// Changes the pipeline as a whole, or not at all.
    ///
    /// Shots under way are finished first, and new ones are refused with `reconfiguring` meanwhile. Devices that stay as
    /// they are go on undisturbed; a new device delivers before the old one is closed.
    ///
    /// - Parameter change: describes the new pipeline; an error that it throws changes nothing.
    /// - Throws: `configurationFailed` for a pipeline that makes no sense or cannot be opened; the old one then runs.
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

    /// Whether Live Photos can be enabled with the inputs there are.
    package var isLivePhotoCaptureSupported: Bool { configuration.isLivePhotoCaptureSupported }

    /// The formats of stills that a shot can ask for.
    package var availableStillFormats: Set<StillFormat> { recorder.stillFormats }

    /// What is going on now.
    package var activity: CaptureActivity { shots.activity }

    /// What became of the camera's frames since it was started; nil when it does not run.
    package var frameCounts: FrameCounts? { camera?.pipeline.counts }

    /// The newest frame that was kept; nil while the camera does not run.
    package var newestFrame: Frame? { camera?.pipeline.ring.newest }

    /// What is going on, now and after each change; a slow reader misses what is no longer true.
    package func activityUpdates() -> AsyncStream<CaptureActivity> {
        let (stream, continuation) = AsyncStream<CaptureActivity>.makeStream(bufferingPolicy: .bufferingNewest(1))
        lastObserverID += 1
        let id = lastObserverID
        activityObservers[id] = continuation
        continuation.yield(activity)
        return stream
    }

    /// Waits until the session does not run any more, whether it was stopped or a device ended by itself.
    ///
    /// - Returns: why it ended; nil when it was stopped.
    package func waitUntilEnded() async -> CaptureError? {
        await waitUntil { isOver }
        guard case .failed(let error) = state else { return nil }
        return error
    }

    /// Waits until fewer shots are under way than so many, or the session does not run any more.
    package func waitUntilFewer(than count: Int) async {
        await waitUntil { isOver || shots.activity.inFlightCount < count }
    }

    /// Whether no frames come, and none will before the session is started again.
    private var isOver: Bool {
        switch state {
        case .stopped, .failed: true
        default: false
        }
    }

    // MARK: Shared by the session's parts

    /// Whether the pipeline is being changed, so that no shot can begin.
    var isReconfiguring: Bool { isChanging }

    /// Begins a piece of work that ``run()`` owns.
    func spawn(_ job: @escaping @Sendable () async -> Void) {
        jobSink.yield(job)
    }

    /// Takes a report of a shot's work.
    func report(_ input: PhotoCaptureMachine.Input, of id: AssetID) {
        let before = activity
        shots.report(input, of: id)
        if activity != before { changed() }
    }

    /// Tells observers and waiters that something is different.
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

    /// Waits until a condition on the session's state holds; it is looked at after each change.
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
