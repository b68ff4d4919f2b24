package import AgentStore
package import Capture
import Logging
import Persistence
package import PhotoLibrary
package import PhotoModel

/// Takes the scheduled shots of a box that sleeps in between: the queue remembers which moment each profile captured
/// last, so that none is captured twice.
///
/// A power cut after a shot is durable and before its moment is recorded repeats that moment at the next wake.
package actor ScheduledShots {
    /// A moment that could not be captured.
    package struct Failure: Hashable, Sendable, Codable {
        /// The profile.
        package let profile: String
        /// The moment.
        package let moment: WallTime
        /// Why it was not captured.
        package let reason: String
    }

    private struct Due: Sendable {
        let profile: CaptureProfile
        let moment: WakeSchedule.Moment
    }

    /// A longer wait means that the clock was set back.
    private static let longestSleep = Duration.seconds(5)

    private let context: CaptureService.Context
    private let store: AgentStore
    private let tolerance: WakeSchedule.Tolerance
    private let plans: [CameraPlan]
    private let schedules: [String: WakeSchedule]
    private let end: MonotonicTime
    /// The moments done in this run: captured or given up.
    private var passed: [String: WallTime]
    /// The shots taken so far.
    package private(set) var shots: [CapturedShot] = []
    /// The moments given up.
    package private(set) var failures: [Failure] = []
    /// Moments missed while the box slept or was switched off.
    package private(set) var skippedMoments: Int64 = 0
    /// Why the first of the failed moments failed.
    package private(set) var error: (any Error)?

    /// Prepares the shots of some profiles, without those that watch a folder; the store remembers captured moments.
    ///
    /// A moment is captured as far from its time as the tolerance allows, and failed shots are not retried after the
    /// end; sunrise and sunset need the box's location.
    ///
    /// - Throws: `configuration` for profiles that cannot run together, or not on a box that sleeps.
    package init(
        _ profiles: [CaptureProfile],
        _ context: CaptureService.Context,
        store: AgentStore,
        location: Location?,
        tolerance: WakeSchedule.Tolerance,
        end: MonotonicTime
    ) throws {
        self.context = context
        self.store = store
        self.tolerance = tolerance
        self.end = end
        plans = try CameraPlan.plans(for: profiles)
        var schedules: [String: WakeSchedule] = [:]
        for profile in profiles where profile.watch == nil {
            if let schedule = try profile.wakeSchedule(at: location) {
                schedules[profile.name] = schedule
            } else {
                context.logger.notice(
                    "a profile has no schedule, and cannot fire while the box sleeps",
                    metadata: ["profile": "\(profile.name)"]
                )
            }
        }
        self.schedules = schedules
        passed = [:]
        for name in schedules.keys { passed[name] = try store.fact(.capturedMoment(of: name)) }
    }

    /// Takes every shot that is due, waiting for those within the lead, and returns whether any was.
    package func takeDue() async -> Bool {
        let now = clock.reading().wall
        let due = plans.map { plan in (plan, plan.profiles.compactMap { self.due($0, now) }) }.filter { !$0.1.isEmpty }
        await withDiscardingTaskGroup { group in
            for (plan, moments) in due { group.addTask { await self.take(plan, moments) } }
        }
        return !due.isEmpty
    }

    /// The next moment, with its profile; nil if nothing is due within a week.
    package func upcoming() -> (profile: String, time: WallTime)? {
        let now = clock.reading().wall
        return schedules.compactMap { name, schedule in
            schedule.upcoming(at: now, captured: passed[name], utcOffset: clock.utcOffsetSeconds(at:)).map {
                (name, $0)
            }
        }
        .min { ($0.1, $0.0) < ($1.1, $1.0) }
    }

    private var clock: any CaptureClock { context.provider.clock }

    private func due(_ profile: CaptureProfile, _ now: WallTime) -> Due? {
        schedules[profile.name]?
            .due(at: now, captured: passed[profile.name], tolerance, utcOffset: clock.utcOffsetSeconds(at:))
            .map { Due(profile: profile, moment: $0) }
    }

    /// Opens a camera and takes its shots; failed ones are retried until it is too late.
    private func take(_ plan: CameraPlan, _ moments: [Due]) async {
        var left = moments
        var pause = CameraRunner.pauses.first
        while !left.isEmpty {
            var problem: (any Error)?
            do {
                problem = try await context.provider.withSession(plan.request) { session, camera in
                    let outcomes = await shoot(left, session, camera)
                    left = outcomes.filter { $0.error != nil }.map(\.due)
                    return outcomes.compactMap(\.error).first
                }
            } catch {
                problem = error
            }
            guard let problem else { return }
            let now = clock.reading()
            let latest = left.map(\.moment.time).max() ?? now.wall
            let isOver = now.wall >= latest.advanced(by: tolerance.late) || now.monotonic >= end
            if isOver || problem.isFinal || Task.isCancelled { return giveUp(left, problem) }
            context.logger.warning(
                "a scheduled shot failed; it is retried",
                metadata: ["camera.id": "\(plan.name)", "reason": "\(problem)"]
            )
            try? await clock.sleep(until: now.monotonic.advanced(by: pause))
            pause = min(pause * 2, CameraRunner.pauses.longest)
        }
    }

    private func shoot(
        _ moments: [Due],
        _ session: CaptureSession,
        _ camera: CaptureDevice
    ) async -> [(due: Due, error: (any Error)?)] {
        await withTaskGroup(of: (due: Due, error: (any Error)?)?.self) { group in
            group.addTask { [indicator = context.indicator] in
                await indicator.follow(session, of: camera)
                return nil
            }
            for due in moments { group.addTask { (due, await self.shoot(due, session, camera)) } }
            var outcomes: [(due: Due, error: (any Error)?)] = []
            while outcomes.count < moments.count, let outcome = await group.next() {
                if let outcome { outcomes.append(outcome) }
            }
            // This also ends the indicator's task.
            await session.stop()
            return outcomes
        }
    }

    /// Takes one shot at its moment; returns why it failed.
    private func shoot(_ due: Due, _ session: CaptureSession, _ camera: CaptureDevice) async -> (any Error)? {
        do {
            guard let time = try await wait(for: due.moment.time) else { return nil }
            let event = TriggerEvent(due.moment.trigger, at: time, skippedCount: due.moment.skippedCount)
            let taken = try await context.taker(due.profile, session, camera).take(event)
            await note(due, taken)
            return nil
        } catch {
            return error
        }
    }

    /// Waits for a moment; returns when to capture, or nil if the clock was set back meanwhile.
    private func wait(for moment: WallTime) async throws -> MonotonicTime? {
        let began = clock.reading()
        // The camera opened after the moment, so the nearest picture is the current one.
        guard moment > began.wall else { return began.monotonic }
        while true {
            let now = clock.reading()
            let left = moment.duration(since: now.wall)
            guard left <= tolerance.lead + Self.longestSleep else { return nil }
            guard left > .zero else { return now.monotonic.advanced(by: max(left, .zero - Self.longestSleep)) }
            try await clock.sleep(until: now.monotonic.advanced(by: min(left, Self.longestSleep)))
        }
    }

    /// Remembers a moment whose shot is in the queue, so that this run does not repeat it.
    private func note(_ due: Due, _ taken: [CapturedShot]) async {
        shots += taken
        skippedMoments += due.moment.skippedCount
        passed[due.profile.name] = due.moment.time
        context.captured()
        do {
            try await context.pool.uncancelled { [store] in
                try store.setFact(.capturedMoment(of: due.profile.name), to: due.moment.time)
            }
        } catch {
            context.logger.error(
                "a moment that was captured could not be remembered: the next wake may capture it again",
                metadata: ["profile": "\(due.profile.name)", "moment": "\(due.moment.time)", "error": "\(error)"]
            )
        }
    }

    private func giveUp(_ moments: [Due], _ problem: any Error) {
        error = error ?? problem
        for due in moments {
            passed[due.profile.name] = due.moment.time
            let failure = Failure(profile: due.profile.name, moment: due.moment.time, reason: "\(problem)")
            failures.append(failure)
            context.logger.error(
                "a scheduled shot was not taken",
                metadata: ["profile": "\(failure.profile)", "moment": "\(failure.moment)", "reason": "\(problem)"]
            )
        }
    }
}

extension CaptureProfile {
    /// The profile's interval and times of day; nil if it has neither.
    ///
    /// - Throws: `configuration` if a moment also depends on something else, or on a location that is unknown.
    fileprivate func wakeSchedule(at location: Location?) throws(AgentError) -> WakeSchedule? {
        let calendar = try calendar(at: location)
        guard let schedule = WakeSchedule(interval: triggers.interval, calendar: calendar) else { return nil }
        guard triggers.rule == .any else {
            throw AgentError(
                .configuration,
                "the profile \(name) combines triggers (trigger.rule: all), which only a box that stays awake can: "
                    + "leave out --once, or the rule"
            )
        }
        return schedule
    }
}

extension Error {
    /// Whether retrying soon cannot help.
    fileprivate var isFinal: Bool {
        switch self {
        case is AgentError: true
        case let error as AgentStoreError: error.code == .full || error.code == .draining
        case let error as CaptureError: [.notAuthorized, .consentWithdrawn, .unsupported].contains(error.code)
        default: false
        }
    }
}
