import AgentStore
import Capture
import Logging
import Persistence
import PhotoLibrary
import PhotoModel
import ServiceLifecycle

/// Captures as the profiles say, for as long as the service runs.
final class CaptureService: Service {
    /// What the cameras share.
    struct Context: Sendable {
        /// Opens sessions.
        let station: CaptureSessionProvider
        /// Takes finished shots.
        let filing: any CaptureDestination
        /// Where blocking calls run.
        let pool: BlockingPool
        /// Where the box is.
        let position: PositionSource
        /// What is captured on command where no profile runs.
        let standard: CaptureProfile
        /// Tells people that they are recorded.
        let indicator: RecordingIndicator
        /// Makes the triggers of a profile, some of which look at what its session sees.
        let sources: @Sendable (CaptureProfile, CaptureSession) throws -> [any TriggerSource]
        /// Told of each shot that is durable.
        let captured: @Sendable () -> Void
        /// Told what happens to each shot on the way there.
        let events = CaptureEvents()
        /// Where messages go.
        let logger: Logger
    }

    private let context: Context
    private let runners: [CameraRunner]
    private let folders: [FolderRunner]

    /// A service for profiles.
    ///
    /// - Parameters:
    ///   - profiles: what to capture.
    ///   - context: what the cameras share.
    ///   - ledger: remembers what was taken from a profile's folder.
    ///   - importer: takes the files of a profile's folder in.
    /// - Throws: `configuration` when two profiles want one camera in two ways.
    init(
        _ profiles: [CaptureProfile],
        _ context: Context,
        ledger: (_ profile: String) -> TakenLedger,
        importer: @escaping @Sendable (CaptureProfile) -> Importer
    ) throws {
        self.context = context
        runners = try CameraPlan.plans(for: profiles).map { CameraRunner($0, context) }
        folders = profiles.compactMap { profile in
            profile.watch.map { plan in
                FolderRunner(
                    profile.name,
                    plan,
                    context,
                    ledger: ledger(profile.name),
                    importer: { importer(profile) }
                )
            }
        }
    }

    /// Runs every camera and every folder until the group is shut down, and files what was captured.
    func run() async throws {
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                for runner in runners { group.addTask { await runner.run() } }
                for folder in folders { group.addTask { await folder.run() } }
            }
            // A service that returns before it is told to ends the process.
            try? await gracefulShutdown()
        } onGracefulShutdown: { [runners, folders] in
            for runner in runners { runner.end() }
            for folder in folders { folder.end() }
        }
    }

    /// Looks at the decisions about devices again: what is not allowed any more ends, what is allowed now begins.
    func consentsChanged() async {
        do {
            try await context.station.desk.refresh()
        } catch {
            context.logger.error("the decisions about devices cannot be read", metadata: ["error": "\(error)"])
        }
        for runner in runners { await runner.tryAgain() }
    }

    /// Takes what was asked for, from the camera of a profile that runs, or else from one that is opened for it.
    ///
    /// - Parameters:
    ///   - order: what is wanted.
    ///   - time: the moment it was asked.
    /// - Returns: the shots, durable in their place.
    /// - Throws: `usage` for an unknown profile, and why there is no shot.
    func take(_ order: CaptureOrder, at time: MonotonicTime) async throws -> [CapturedShot] {
        let event = TriggerEvent(.command, at: time)
        if let runner = try runner(for: order) {
            let named = runner.plan.profiles.first { order.profile == nil || $0.name == order.profile }
            guard let profile = named else { return [] }
            return try await runner.take(order.applied(to: profile), event)
        }
        let profile = order.applied(to: context.standard)
        return try await context.station.withSession(profile.request) { session, camera in
            let taker = ShotTaker(
                session: session,
                camera: camera,
                profile: profile,
                filing: context.filing,
                clock: context.station.clock,
                position: context.position,
                pool: context.pool,
                tally: CaptureTally(),
                report: context.events.send
            )
            // The moment was before the camera was open: the nearest frame is its first good one.
            let now = context.station.clock.reading().monotonic
            let shots = try await taker.take(TriggerEvent(.command, at: now))
            context.captured()
            return shots
        }
    }

    /// What a camera sees now, as a JPEG; no shot is taken, and nothing is kept.
    ///
    /// - Parameter profile: one of its profiles; nil for the first camera.
    /// - Returns: the file's bytes.
    /// - Throws: `usage` for an unknown profile, `notRunning` and why while there is no picture.
    func preview(of profile: String? = nil) async throws -> [UInt8] {
        var order = CaptureOrder()
        order.profile = profile
        guard let runner = try runner(for: order) else {
            throw CaptureError(.notRunning, "no profile keeps a camera running on this box")
        }
        return try await runner.preview()
    }

    /// What happens to shots from here on; throws `failed` for a reader that falls too far behind.
    func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        context.events.stream()
    }

    /// How capturing stands.
    func status() async -> CaptureStatus {
        var cameras: [CaptureStatus.Camera] = []
        for runner in runners { cameras.append(await runner.status()) }
        var watched: [CaptureStatus.Folder] = []
        for folder in folders { watched.append(await folder.status()) }
        return CaptureStatus(isRecording: await context.indicator.isRecording, cameras: cameras, folders: watched)
    }

    /// The camera that an order means; nil when none of ours is meant.
    private func runner(for order: CaptureOrder) throws -> CameraRunner? {
        if let name = order.profile {
            guard let runner = runners.first(where: { $0.plan.profiles.contains { $0.name == name } }) else {
                let known = runners.flatMap { $0.plan.profiles.map(\.name) }.joined(separator: ", ")
                throw AgentError(
                    .usage,
                    "no profile \(name) runs here: \(known.isEmpty ? "none does" : "choose \(known)")"
                )
            }
            return runner
        }
        if let camera = order.camera { return runners.first { $0.plan.request.camera?.rawValue == camera } }
        return runners.first
    }
}
