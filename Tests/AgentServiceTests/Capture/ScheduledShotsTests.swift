import AgentStore
import Capture
import PhotoLibrary
import PhotoModel
import Synchronization
import Testing

@testable import AgentCapture

/// Scheduled shots of a box that sleeps in between, with a camera and a queue.
struct ScheduledShotsTests {
    private let bench: CaptureBench
    private let tolerance: WakeSchedule.Tolerance

    init() throws {
        bench = try CaptureBench()
        // Of a week's multiples, one is due on any day.
        tolerance = WakeSchedule.Tolerance(lead: .zero, late: .seconds(8 * 86_400))
    }

    private func weekly(_ name: String = "weekly") -> CaptureProfile {
        var profile = CaptureProfile(name: name)
        profile.camera = bench.devices.cameraID
        profile.triggers.interval = .seconds(604_800)
        return profile
    }

    private func shots(
        _ profiles: [CaptureProfile],
        _ tolerance: WakeSchedule.Tolerance? = nil,
        for time: Duration = .seconds(60)
    ) throws -> ScheduledShots {
        try ScheduledShots(
            profiles,
            bench.context(),
            store: bench.store,
            location: nil,
            tolerance: tolerance ?? self.tolerance,
            end: bench.provider.clock.reading().monotonic.advanced(by: time)
        )
    }

    @Test(
        "A moment that is due is captured once, whichever process asks next; profiles of one camera share its session"
    )
    func once() async throws {
        let profiles = [weekly("gate"), weekly("yard")]
        let first = try shots(profiles)
        #expect(await first.takeDue())
        #expect(await first.takeDue() == false)
        #expect(Set(await first.shots.map(\.profile)) == ["gate", "yard"])
        #expect(await first.failures.isEmpty)
        let openCount = bench.devices.openCount.load(ordering: .relaxed)
        #expect(openCount == 2, "examined and opened once")
        let second = try shots(profiles)
        #expect(await second.takeDue() == false)
        #expect(try bench.store.summary().owed.count == 2)
        let next = try #require(await second.upcoming())
        #expect(
            next.time > bench.provider.clock.reading().wall && next.time.microsecondsSince1970 % 604_800_000_000 == 0
        )
    }

    @Test("A moment within the lead is waited for, and not captured before it comes")
    func lead() async throws {
        var profile = weekly()
        profile.triggers.interval = .seconds(2)
        let shots = try shots([profile], WakeSchedule.Tolerance(lead: .seconds(3), late: .zero))
        let began = bench.provider.clock.reading().wall.microsecondsSince1970
        let moment = WallTime(microsecondsSince1970: (began / 2_000_000 + 1) * 2_000_000)
        #expect(await shots.takeDue())
        let taken = await shots.shots
        let shot = try #require(taken.first)
        // Both clocks are read one after the other, and the thread that reads them may have to wait in between.
        #expect(shot.requestedTime.wall >= moment.advanced(by: .milliseconds(-100)))
    }

    @Test("A shot that nobody allows is told, stays due, and is captured once it is allowed")
    func refused() async throws {
        try await bench.consents.setStatus(.denied, for: bench.subject)
        let refused = try shots([weekly()])
        #expect(await refused.takeDue())
        #expect(await refused.takeDue() == false, "given up for this wake")
        #expect(await refused.shots.isEmpty)
        #expect(await refused.failures.map(\.profile) == ["weekly"])
        #expect(await refused.error as? AgentError != nil)
        try await bench.consents.setStatus(.authorized, for: bench.subject)
        try await bench.provider.consents.refresh()
        let allowed = try shots([weekly()])
        #expect(await allowed.takeDue())
        #expect(await allowed.shots.count == 1)
    }

    @Test("A camera that is not there is tried again until the time is over")
    func absent() async throws {
        var profile = weekly()
        profile.camera = CaptureDevice.ID(rawValue: "unplugged")
        try await bench.consents.setStatus(
            .authorized,
            for: ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "unplugged"))
        )
        let shots = try shots([profile], for: .milliseconds(1500))
        #expect(await shots.takeDue())
        #expect((await shots.error as? CaptureError)?.code == .deviceLost)
        #expect(await shots.failures.count == 1)
    }

    @Test("Triggers that must come together need a box that stays awake")
    func combined() {
        var profile = weekly()
        profile.triggers.rule = .all(within: .seconds(5))
        #expect(throws: AgentError.self) { try shots([profile]) }
    }
}
