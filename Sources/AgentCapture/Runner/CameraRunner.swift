import Capture
import Logging
import MediaFormats
import PhotoLibrary
import PhotoModel
import Synchronization

/// Runs one camera for its profiles: keeps a session open, reopens it when it ends, and takes the triggered shots.
actor CameraRunner {
    /// The camera's state.
    enum State: Sendable {
        /// The session is opening.
        case starting
        /// Shots are possible.
        case running
        /// It could not be opened or ended by itself; it is retried.
        case waiting(any Error)
        /// The service ended.
        case stopped
    }

    /// The first and the longest pause before a camera is retried; a decision or a plug ends it early.
    static let pauses = (first: Duration.seconds(1), longest: Duration.seconds(30))

    nonisolated let plan: CameraPlan
    private let context: CaptureService.Context
    private let tally = CaptureTally()
    private let stop = Latch()
    private var state = State.starting
    private var running: (session: CaptureSession, camera: CaptureDevice)?
    private var retry = Latch()

    init(_ plan: CameraPlan, _ context: CaptureService.Context) {
        self.plan = plan
        self.context = context
    }

    /// Runs until ``end()``; recordings then end, and captures are filed before it returns.
    func run() async {
        var pause = Self.pauses.first
        while !stop.isOpen, !Task.isCancelled {
            state = .starting
            do {
                try await context.provider.withSession(plan.request) { session, camera in
                    pause = Self.pauses.first
                    await work(session, camera)
                }
                if case .running = state { state = .waiting(CaptureError(.notRunning, "the camera's session ended")) }
            } catch {
                state = .waiting(error)
            }
            if stop.isOpen { break }
            if case .waiting(let error) = state {
                context.logger.warning(
                    "a camera is not running; it is retried",
                    metadata: ["camera.id": "\(plan.name)", "reason": "\(error)"]
                )
            }
            retry = Latch()
            await wait(pause)
            pause = min(pause * 2, Self.pauses.longest)
        }
        state = .stopped
    }

    /// Ends ``run()`` permanently.
    nonisolated func end() {
        stop.open()
    }

    /// Retries a waiting camera at once, since somebody decided or plugged something in.
    func tryAgain() {
        retry.open()
    }

    /// Takes and durably files a shot requested by a person or a program, for one of the plan's profiles, possibly
    /// modified for this shot.
    ///
    /// - Throws: why the camera is not running, or why the shot failed.
    func take(_ profile: CaptureProfile, _ event: TriggerEvent) async throws -> [CapturedShot] {
        let running = try runningDevices()
        let shots = try await context.taker(profile, running.session, running.camera, tally).take(event)
        context.captured()
        for shot in shots { log(shot) }
        return shots
    }

    /// The newest frame of the ring as a standard JPEG.
    ///
    /// - Throws: why the camera is not running, or that it has no frame yet.
    func preview() async throws -> [UInt8] {
        let session = try runningDevices().session
        guard let frame = await session.newestFrame else {
            throw CaptureError(.notRunning, "the camera has delivered no frame yet: try again")
        }
        return try frame.buffer.withBytes { try MotionJPEGFrame($0).jpegFile($0).copyBytes(from: $0) }
    }

    /// The camera's status.
    func status() async -> CaptureStatus.Camera {
        let activity = await running?.session.activity ?? CaptureActivity()
        let frames = await running?.session.frameCounts ?? FrameCounts()
        var shown = state
        // The session itself waits for a camera that is gone.
        if case .interrupted(let error)? = await running?.session.state { shown = .waiting(error) }
        return CaptureStatus.Camera(
            plan: plan,
            device: running?.camera,
            state: shown,
            activity: activity,
            frames: frames,
            counts: tally.counts
        )
    }

    /// Fires the triggers until the session ends or the service is stopped; every started shot is filed.
    private func work(_ session: CaptureSession, _ camera: CaptureDevice) async {
        running = (session, camera)
        state = .running
        context.logger.info("a camera runs", metadata: ["camera.id": "\(camera.id.rawValue)"])
        let firings = FiringQueue()
        let ended = Latch()
        await withDiscardingTaskGroup { group in
            group.addTask {
                if let error = await session.waitUntilEnded() { await self.lost(error) }
                ended.open()
            }
            group.addTask { await self.context.indicator.follow(session, of: camera) }
            group.addTask { [stop] in
                await stop.cancelling { await ended.cancelling { await self.fire(session, into: firings) } }
                firings.finish()
                // Current recordings end here; their shots are filed below.
                await session.stop()
            }
            for await firing in firings.firings {
                group.addTask {
                    await self.shoot(firing.profile, firing.event)
                    firings.complete()
                }
            }
        }
        running = nil
    }

    private func runningDevices() throws -> (session: CaptureSession, camera: CaptureDevice) {
        if let running { return running }
        if case .waiting(let error) = state { throw error }
        throw CaptureError(.notRunning, "the camera is opening, or the service is stopping: try again")
    }

    private func lost(_ error: CaptureError) {
        state = .waiting(error)
    }

    private func shoot(_ profile: CaptureProfile, _ event: TriggerEvent) async {
        do {
            _ = try await take(profile, event)
        } catch {
            context.logger.warning(
                "a capture failed",
                metadata: ["profile": "\(profile.name)", "trigger": "\(event.trigger)", "error": "\(error)"]
            )
        }
    }

    /// Runs all triggers of all profiles; without any, waits for cancellation.
    private nonisolated func fire(_ session: CaptureSession, into firings: FiringQueue) async {
        await withTaskGroup(of: Void.self) { group in
            for profile in plan.profiles {
                group.addTask { await self.fire(profile, session, into: firings) }
            }
            // A camera without triggers waits for commands.
            group.addTask { await Latch().wait() }
        }
    }

    private nonisolated func fire(
        _ profile: CaptureProfile,
        _ session: CaptureSession,
        into firings: FiringQueue
    ) async {
        let sources: [any TriggerSource]
        do {
            sources = try context.sources(profile, session)
        } catch {
            return context.logger.error(
                "a profile's triggers cannot be set up",
                metadata: ["profile": "\(profile.name)", "error": "\(error)"]
            )
        }
        let combination = Mutex(TriggerCombination(Set(sources.map(\.trigger)), profile.triggers.rule))
        // Several triggers call it concurrently.
        let join: @Sendable (TriggerEvent) -> TriggerEvent? = { event in combination.withLock { $0.offer(event) } }
        await withTaskGroup(of: Void.self) { group in
            for source in sources {
                group.addTask { [logger = context.logger, tally] in
                    do {
                        try await source.run { event in
                            guard let joined = join(event) else { return }
                            if let refusal = firings.offer(joined, of: profile) { tally.fail(refusal) }
                        }
                    } catch is CancellationError {
                        return
                    } catch {
                        logger.error(
                            "a trigger ended by itself",
                            metadata: ["trigger": "\(source.trigger)", "error": "\(error)"]
                        )
                    }
                }
            }
        }
    }

    private func wait(_ pause: Duration) async {
        let clock = context.provider.clock
        let deadline = clock.reading().monotonic.advanced(by: pause)
        let retry = retry
        await stop.cancelling {
            await retry.cancelling { try? await clock.sleep(until: deadline) }
        }
    }

    private func log(_ shot: CapturedShot) {
        context.logger.info(
            "captured",
            metadata: [
                "asset.id": "\(shot.id)",
                "profile": "\(shot.profile ?? "")",
                "trigger": "\(shot.trigger)",
                "requested": "\(shot.requestedTime.wall)",
                "frame": "\(shot.captureTime.wall)",
                "lag.milliseconds": "\(shot.lagMilliseconds)",
                "flags": "\(shot.flags.joined(separator: ","))",
            ]
        )
    }
}
