import Capture
import PhotoModel
import Synchronization
import TestSupport
import Testing

struct WarmUpTests {
    @Test(
        "Frames are usable once brightness stays within 2 % for 5 of them, or after 2 seconds",
        arguments: [
            ([0.5, 0.5, 0.5, 0.5, 0.5], 4),
            ([0.1, 0.2, 0.3, 0.4, 0.5, 0.5, 0.5, 0.51, 0.5], 8),
            ([0.9, 0.5, 0.51, 0.5, 0.495, 0.5], 5),
        ]
    )
    func settles(lumas: [Double], expected: Int) {
        var warmUp = WarmUp()
        let first = lumas.indices.first { warmUp.observe(luma: lumas[$0], at: at(Int64($0) * 33)) }
        #expect(first == expected)
    }

    @Test("A camera that never settles is used after 2 seconds, and so is one whose brightness cannot be told")
    func limit() {
        for known in [true, false] {
            var warmUp = WarmUp()
            let first = (0..<100).first { index in
                warmUp.observe(luma: known ? Double(index % 2) : nil, at: at(Int64(index) * 33))
            }
            #expect(first == 61)
        }
    }
}

struct ScheduleTests {
    @Test("An interval keeps its phase for a day of late wake-ups, and skips what was missed")
    func interval() throws {
        var generator = SeededGenerator(seed: 1)
        var schedule = try #require(IntervalSchedule(phase: at(0), interval: .milliseconds(700)))
        var now = at(-100)
        var skipped: Int64 = 0
        var last: Int64 = -1
        for _ in 0..<10_000 {
            let slot = schedule.next(after: now)
            #expect(slot.time == at(slot.number * 700))
            #expect(slot.number == last + 1 + slot.skipped)
            last = slot.number
            skipped += slot.skipped
            now = max(now, slot.time).advanced(by: .milliseconds(generator.oneIn(50) ? 2000 : 20))
        }
        #expect(skipped > 0)
        #expect(IntervalSchedule(phase: at(0), interval: .microseconds(999)) == nil)
    }

    @Test(
        "A calendar finds the next time of the day by the clock on the wall",
        arguments: [
            ("2026-01-02T03:04:05Z", 0, "2026-01-02T06:00:00Z"),
            ("2026-01-02T06:00:00Z", 0, "2026-01-02T18:30:00Z"),
            ("2026-01-02T18:30:00Z", 0, "2026-01-05T06:00:00Z"),
            ("2026-01-02T16:30:00Z", 7200, "2026-01-05T04:00:00Z"),
            ("1969-12-31T18:29:59Z", 0, "1969-12-31T18:30:00Z"),
        ]
    )
    func calendar(now: String, offset: Int, expected: String) throws {
        let times = [CalendarSchedule.TimeOfDay(hour: 18, minute: 30), .init(hour: 6, minute: 0)].compactMap(\.self)
        let moments = times.map { CalendarSchedule.Moment.time($0) }
        let schedule = try #require(CalendarSchedule(moments: moments, weekdays: Set(1...5)))
        let next = schedule.next(after: try #require(WallTime(now)), utcOffset: { _ in offset })
        #expect(next == WallTime(expected))
    }
}

struct ConsentTests {
    private let subject = ConsentSubject(capability: .camera, deviceID: CaptureDevice.ID(rawValue: "camera"))

    @Test(
        "001.15, 001.18, 001.19: only one of the four states gives the consent that a session needs",
        arguments: ConsentStatus.allCases
    )
    func states(status: ConsentStatus) async throws {
        let desk = Consents(store: MemoryConsentStore(), prompter: CountingPrompter(answer: nil))
        try await desk.setStatus(status, for: subject)
        #expect(try await desk.status(for: subject) == status)
        if status == .authorized {
            #expect(try await desk.consent(for: subject).subject == subject)
        } else {
            let error = await #expect(throws: CaptureError.self) { _ = try await desk.consent(for: subject) }
            #expect(error?.code == .notAuthorized)
        }
    }

    @Test("001.16: callers at the same time share one question, and the answer is remembered")
    func oneQuestion() async throws {
        let prompter = CountingPrompter(answer: true)
        let desk = Consents(store: MemoryConsentStore(), prompter: prompter)
        try await withThrowingTaskGroup(of: ConsentStatus.self) { group in
            for _ in 0..<20 { group.addTask { try await desk.requestAccess(for: subject) } }
            for try await status in group { #expect(status == .authorized) }
        }
        #expect(try await desk.requestAccess(for: subject) == .authorized)
        #expect(prompter.count.load(ordering: .relaxed) == 1)
    }

    @Test("001.2: a question that nobody answers decides nothing; a no is a decision")
    func answers() async throws {
        let silent = Consents(store: MemoryConsentStore(), prompter: CountingPrompter(answer: nil))
        #expect(try await silent.requestAccess(for: subject) == .notDetermined)
        let refusing = Consents(store: MemoryConsentStore(), prompter: CountingPrompter(answer: false))
        #expect(try await refusing.requestAccess(for: subject) == .denied)
    }

    @Test("001.19: a consent for another device or use opens nothing")
    func otherDevice() async throws {
        let desk = Consents(store: MemoryConsentStore(), prompter: CountingPrompter(answer: true))
        _ = try await desk.requestAccess(for: subject)
        let consent = try await desk.consent(for: subject)
        #expect(throws: CaptureError.self) { _ = try CameraInput(HandCamera(), consent: consent) }
    }
}
