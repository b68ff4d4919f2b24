package import Capture
import CaptureLinux
package import Logging
import MediaEncoding
package import Persistence
package import PhotoModel
import UnixSignals

/// Creates a profile's triggers.
package struct TriggerFactory: Sendable {
    let clock: any CaptureClock
    let location: Location?
    let pool: BlockingPool
    let logger: Logger
    /// Opens an electrical input.
    var line: @Sendable (TriggerPlan.Input) -> any InputLine = { input in
        GPIOInputLine(
            chip: input.chip,
            offset: UInt32(clamping: input.line),
            isActiveLow: input.isActiveLow,
            bias: input.bias,
            calls: SystemGPIOCalls()
        )
    }

    package init(clock: any CaptureClock, location: Location?, pool: BlockingPool, logger: Logger) {
        self.clock = clock
        self.location = location
        self.pool = pool
        self.logger = logger
    }

    /// The triggers of a profile and its camera's newest frame; none if it only waits for commands.
    ///
    /// - Throws: `configuration` if solar times are used without a known location.
    package func sources(
        of profile: CaptureProfile,
        newestFrame: @escaping @Sendable () async -> Frame?
    ) throws -> [any TriggerSource] {
        let plan = profile.triggers
        var sources: [any TriggerSource] = []
        if let interval = plan.interval, let trigger = IntervalTrigger(every: interval, clock: clock) {
            sources.append(trigger)
        }
        if let calendar = try profile.calendar(at: location) {
            sources.append(CalendarTrigger(calendar, clock: clock))
        }
        if plan.isSignal { sources.append(SignalTrigger(clock: clock)) }
        if let input = plan.input {
            let filter = EdgeFilter(input.edges, quietTime: input.quietTime)
            sources.append(InputTrigger(line(input), filter: filter, name: "\(input.chip):\(input.line)"))
        }
        if let mqtt = plan.mqtt { sources.append(MQTTTrigger(plan: mqtt, clock: clock, pool: pool, logger: logger)) }
        if let motion = plan.motion {
            let decoder = try TurboGreyDecoder()
            let monitor = MotionMonitor(motion, decoder: decoder, clock: clock, newestFrame: newestFrame)
            sources.append(MotionTrigger(monitor))
        }
        return sources
    }
}

extension CaptureProfile {
    /// The profile's times of day; nil if it has none.
    ///
    /// - Throws: `configuration` if solar times are used without a known location.
    func calendar(at location: Location?) throws(AgentError) -> CalendarSchedule? {
        guard !triggers.moments.isEmpty else { return nil }
        guard
            let calendar = CalendarSchedule(moments: triggers.moments, weekdays: triggers.weekdays, location: location)
        else {
            throw AgentError(
                .configuration,
                "the profile \(name) goes by the sun: set capture.location to where the box is"
            )
        }
        return calendar
    }
}

/// Fires on SIGUSR1: `systemctl kill --signal=USR1 tintype-agent`.
struct SignalTrigger: TriggerSource {
    let clock: any CaptureClock

    var trigger: Trigger { Trigger(.signal, name: "SIGUSR1") }

    func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        for await _ in await UnixSignalsSequence(trapping: .sigusr1) {
            fire(TriggerEvent(trigger, at: clock.reading().monotonic))
        }
        try Task.checkCancellation()
    }
}
