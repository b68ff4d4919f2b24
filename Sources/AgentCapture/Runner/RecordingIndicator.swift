import Capture
package import Logging
package import Persistence

/// Tells people in front of the cameras that they are being recorded: switches a lamp and runs a program when the first
/// movie begins, and again when the last one ends.
package actor RecordingIndicator {
    /// A program that takes longer is killed.
    static let timeLimit = Duration.seconds(5)

    private let program: String?
    private let lamp: (@Sendable (Bool) throws -> Void)?
    private let pool: BlockingPool
    private let logger: Logger
    private var recording: [CaptureDevice.ID: Int] = [:]
    private var shown = false
    private var isTelling = false

    /// Creates an indicator that runs the program at a path with `start` and `stop` and switches a lamp, if given, on
    /// the pool.
    package init(program: String?, lamp: (@Sendable (Bool) throws -> Void)? = nil, pool: BlockingPool, logger: Logger) {
        self.program = program
        self.lamp = lamp
        self.pool = pool
        self.logger = logger
    }

    /// Whether any camera is recording.
    var isRecording: Bool { recording.values.contains { $0 > 0 } }

    /// Follows a session until it stops running.
    func follow(_ session: CaptureSession, of camera: CaptureDevice) async {
        let updates = await session.activityUpdates()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await session.waitUntilEnded() }
            group.addTask { for await activity in updates { await self.update(activity, of: camera.id) } }
            await group.next()
            group.cancelAll()
        }
        await update(CaptureActivity(), of: camera.id)
    }

    private func update(_ activity: CaptureActivity, of camera: CaptureDevice.ID) async {
        recording[camera] = activity.recordingCount
        // One call of the program at a time, and always one for the final state.
        guard !isTelling else { return }
        isTelling = true
        defer { isTelling = false }
        while shown != isRecording {
            shown = isRecording
            await tell(shown)
        }
    }

    private func tell(_ isRecording: Bool) async {
        if let lamp {
            do {
                try await pool.uncancelled { try lamp(isRecording) }
            } catch {
                logger.warning("the recording indicator's lamp cannot be switched", metadata: ["error": "\(error)"])
            }
        }
        guard let program else { return }
        do {
            let status = try await pool.uncancelled {
                try HookProgram.run(program, [isRecording ? "start" : "stop"], within: Self.timeLimit)
            }
            guard status != 0 else { return }
            logger.warning("the recording indicator's program failed", metadata: ["status": "\(status)"])
        } catch {
            logger.warning("the recording indicator's program cannot be run", metadata: ["error": "\(error)"])
        }
    }
}
