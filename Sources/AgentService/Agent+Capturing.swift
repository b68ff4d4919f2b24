import AgentCapture
import AgentStore
import Capture
import CaptureLinux
import Persistence

extension Agent {
    /// The recording lamp; throws if the configured lamp is missing.
    private func indicator() throws -> RecordingIndicator {
        let capture = settings.capture
        var lamp: (@Sendable (Bool) throws -> Void)?
        if let line = capture.indicatorLine {
            let output = try GPIOOutputLine(chip: line.chip, offset: line.line, isActiveLow: line.isActiveLow)
            lamp = { try output.set($0) }
        }
        return RecordingIndicator(program: capture.indicator, lamp: lamp, pool: pool, logger: logger)
    }

    /// State shared by the cameras of this box.
    ///
    /// - Throws: `deviceFailed` if the recording lamp is missing.
    func captureContext(
        _ position: PositionSource,
        prompter: any ConsentPrompter,
        captured: @escaping @Sendable () -> Void
    ) throws -> CaptureService.Context {
        let consents = ConsentFile(in: store.root, policy: settings.consentPolicy)
        let provider = try CaptureSessionProvider(
            settings: settings,
            consents: consents,
            prompter: prompter,
            pool: pool
        )
        let place = settings.capture.location
        let triggers = TriggerFactory(clock: provider.clock, location: place, pool: pool, logger: logger)
        return CaptureService.Context(
            provider: provider,
            destination: QueueDestination(store: store, limits: limits),
            pool: pool,
            position: position,
            standard: settings.standardProfile,
            indicator: try indicator(),
            sources: { profile, session in
                try triggers.sources(of: profile) { await session.newestFrame }
            },
            captured: captured,
            logger: logger
        )
    }

    /// Imports for a profile's folder.
    func importer(_ profile: CaptureProfile) -> Importer {
        Importer(store: store, limits: limits, album: profile.album)
    }
}
