import AgentStore
package import Capture
package import Logging
package import Persistence
package import PhotoLibrary
import PhotoModel
import ServiceLifecycle

/// Captures according to the profiles, for the lifetime of the service.
package final class CaptureService: Service {
    /// The cameras' shared context.
    package struct Context: Sendable {
        /// Opens sessions.
        package let provider: CaptureSessionProvider
        /// Files finished shots.
        let destination: any CaptureDestination
        /// Runs blocking calls.
        let pool: BlockingPool
        /// The box's position.
        let position: PositionSource
        /// The profile for commands when none is running.
        let standard: CaptureProfile
        /// Shows people that they are being recorded.
        let indicator: RecordingIndicator
        /// Creates a profile's triggers, some of which examine its session's frames.
        let sources: @Sendable (CaptureProfile, CaptureSession) throws -> [any TriggerSource]
        /// Called for each durable shot.
        let captured: @Sendable () -> Void
        /// Receives each shot's events.
        let events = CaptureEvents()
        /// The logger.
        let logger: Logger

        /// What cameras share; `sources` makes a profile's triggers, `captured` is called for each durable shot.
        package init(
            provider: CaptureSessionProvider,
            destination: any CaptureDestination,
            pool: BlockingPool,
            position: PositionSource,
            standard: CaptureProfile,
            indicator: RecordingIndicator,
            sources: @escaping @Sendable (CaptureProfile, CaptureSession) throws -> [any TriggerSource],
            captured: @escaping @Sendable () -> Void,
            logger: Logger
        ) {
            self.provider = provider
            self.destination = destination
            self.pool = pool
            self.position = position
            self.standard = standard
            self.indicator = indicator
            self.sources = sources
            self.captured = captured
            self.logger = logger
        }

        /// Takes a profile's shots in a running session, and counts them in `tally`.
        func taker(
            _ profile: CaptureProfile,
            _ session: CaptureSession,
            _ camera: CaptureDevice,
            _ tally: CaptureTally = CaptureTally()
        ) -> ShotTaker {
            ShotTaker(
                session: session,
                camera: camera,
                profile: profile,
                destination: destination,
                clock: provider.clock,
                position: position,
                pool: pool,
                tally: tally,
                report: events.send
            )
        }
    }

    private let context: Context
    private let runners: [CameraRunner]
    private let folders: [FolderRunner]

    /// Creates a service for profiles, with an importer for each profile's folder.
    ///
    /// - Throws: `configuration` if two profiles require one camera in incompatible ways.
    package init(
        _ profiles: [CaptureProfile],
        _ context: Context,
        importer: @escaping @Sendable (CaptureProfile) -> Importer
    ) throws {
        self.context = context
        runners = try CameraPlan.plans(for: profiles).map { CameraRunner($0, context) }
        folders = FolderRunner.runners(of: profiles, context, importer: importer)
    }

    /// Runs every camera and folder until the group is shut down, and files all captures.
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

    /// Re-evaluates the decisions about devices: stops what is no longer allowed, starts what now is.
    package func consentsChanged() async {
        do {
            try await context.provider.consents.refresh()
        } catch {
            context.logger.error("the decisions about devices cannot be read", metadata: ["error": "\(error)"])
        }
        for runner in runners { await runner.tryAgain() }
    }

    /// Takes and durably files an ordered shot, from the camera of a running profile, or from one opened for it.
    ///
    /// - Throws: `usage` for an unknown profile, or why there is no shot.
    package func take(_ order: CaptureOrder, at time: MonotonicTime) async throws -> [CapturedShot] {
        let event = TriggerEvent(.command, at: time)
        if let runner = try runner(for: order) {
            let named = runner.plan.profiles.first { order.profile == nil || $0.name == order.profile }
            guard let profile = named else { return [] }
            return try await runner.take(try order.applied(to: profile), event)
        }
        let profile = try order.applied(to: context.standard).masked(like: runners.flatMap(\.plan.profiles))
        return try await context.provider.withSession(profile.request) { session, camera in
            // The moment was before the camera opened: the nearest frame is its first good one.
            let now = context.provider.clock.reading().monotonic
            let shots = try await context.taker(profile, session, camera).take(TriggerEvent(.command, at: now))
            context.captured()
            return shots
        }
    }

    /// What the profile's camera, or the first one, sees now, as a JPEG; nothing is captured or kept.
    ///
    /// - Throws: `usage` for an unknown profile, `notRunning` with the reason while there is no picture.
    package func preview(of profile: String? = nil) async throws -> [UInt8] {
        var order = CaptureOrder()
        order.profile = profile
        guard let runner = try runner(for: order) else {
            throw CaptureError(.notRunning, "no profile keeps a camera running on this box")
        }
        return try await runner.preview()
    }

    /// The shot events from now on; throws `failed` for a reader that falls too far behind.
    package func events() -> AsyncThrowingStream<CaptureEvent, any Error> {
        context.events.stream()
    }

    /// The capture status.
    package func status() async -> CaptureStatus {
        var cameras: [CaptureStatus.Camera] = []
        for runner in runners { cameras.append(await runner.status()) }
        var watched: [CaptureStatus.Folder] = []
        for folder in folders { watched.append(await folder.status()) }
        return CaptureStatus(isRecording: await context.indicator.isRecording, cameras: cameras, folders: watched)
    }

    /// The camera an order refers to; nil if none of ours.
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
