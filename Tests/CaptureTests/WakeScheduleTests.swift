import Capture
import Foundation
import PhotoModel
import TestSupport
import Testing

/// What a sleeping box finds due when its clock wakes it.
struct WakeScheduleTests {
    /// A box that sleeps: each wake captures what is due and names the next one.
    private struct Sleeper {
        let schedule: WakeSchedule
        let zone: TimeZone
        var tolerance = WakeSchedule.Tolerance(lead: .seconds(60), late: .seconds(600))
        var captured: WallTime?
        var shots: [WallTime] = []
        var skipped: Int64 = 0

        init(_ schedule: WakeSchedule, in zone: String = "UTC") throws {
            self.schedule = schedule
            self.zone = try #require(TimeZone(identifier: zone))
        }

        func offset(_ time: WallTime) -> Int {
            zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time.microsecondsSince1970) / 1e6))
        }

        /// Wakes; the time at which the box ought to wake again.
        mutating func wake(at now: WallTime) -> WallTime? {
            var end = now
            while let moment = schedule.due(at: end, captured: captured, tolerance, utcOffset: offset) {
                captured = moment.time
                shots.append(moment.time)
                skipped += moment.skippedCount
                end = max(end, moment.time)
            }
            return schedule.upcoming(at: end, captured: captured, utcOffset: offset)?.advanced(
                by: .zero - tolerance.lead
            )
        }
    }

    private static func calendar(_ texts: [String], at place: Location? = nil) throws -> WakeSchedule {
        let moments = texts.compactMap { CalendarSchedule.Moment($0) }
        let calendar = try #require(CalendarSchedule(moments: moments, location: place))
        return try #require(WakeSchedule(interval: nil, calendar: calendar))
    }

    private static func interval(_ seconds: Int) throws -> WakeSchedule {
        try #require(WakeSchedule(interval: .seconds(seconds), calendar: nil))
    }

    private static func time(_ text: String) throws -> WallTime { try #require(WallTime(text)) }

    @Test("Over a month of wakes, each up to half a minute off, every moment is captured once, to the microsecond")
    func month() throws {
        checkProperty("a month of wakes", cases: 40) { generator, _ in
            guard let calendar = CalendarSchedule(moments: ["06:30", "18:00:05"].compactMap { .init($0) }),
                let schedule = WakeSchedule(interval: .seconds(900), calendar: calendar),
                var box = try? Sleeper(schedule, in: "Europe/Zurich"),
                let begin = WallTime("2026-10-10T00:00:01Z"), let end = WallTime("2026-11-10T00:00:00Z")
            else { return "no schedule" }
            var now = begin
            while now < end {
                guard let wake = box.wake(at: now) else { return "it sleeps for ever after \(now)" }
                // A real-time clock counts whole seconds, and a boot takes up to half a minute.
                now = max(now, wake).advanced(by: .milliseconds(generator.below(30_000)))
            }
            let shots = box.shots.filter { $0 < end }
            let slots = shots.filter { $0.microsecondsSince1970 % 900_000_000 == 0 }
            // 06:30 is a slot as well.
            guard slots.count == 31 * 96, shots.count == 31 * 97 else {
                return "\(slots.count) slots of \(shots.count) shots"
            }
            guard Set(shots).count == shots.count, shots == shots.sorted() else { return "a moment was captured twice" }
            return box.skipped == 0 ? nil : "\(box.skipped) skipped"
        }
    }

    @Test(
        "A time of day that the clocks skip or repeat is captured once on that day",
        arguments: [
            ("Europe/Zurich", "02:30", "2026-03-28T12:00:00Z", ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]),
            ("Europe/Zurich", "06:30", "2026-03-28T12:00:00Z", ["2026-03-29T04:30:00Z", "2026-03-30T04:30:00Z"]),
            ("Europe/Zurich", "02:30", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
            ("Europe/Zurich", "06:30", "2026-10-24T12:00:00Z", ["2026-10-25T05:30:00Z", "2026-10-26T05:30:00Z"]),
            ("Australia/Lord_Howe", "02:15", "2026-10-02T20:00:00Z", ["2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z"]),
        ]
    )
    func summerTime(zone: String, moment: String, begin: String, expected: [String]) throws {
        var box = try Sleeper(Self.calendar([moment]), in: zone)
        let end = try Self.time(begin).advanced(by: .seconds(44 * 3600))
        var now = try Self.time(begin)
        while now < end {
            let wake = box.wake(at: now)
            now = try #require(wake).advanced(by: .seconds(20))
        }
        #expect(box.shots.filter { $0 < end }.map(\.description) == expected)
        #expect(box.skipped == 0)
    }

    @Test("After the clock was set back a little nothing is repeated; set back far, the schedule begins anew")
    func setBack() throws {
        var box = try Sleeper(Self.interval(3600))
        _ = try box.wake(at: Self.time("2026-06-01T12:00:10Z"))
        // A box without a real-time clock boots with the time at which it went to sleep.
        let wake = try box.wake(at: Self.time("2026-06-01T11:59:30Z"))
        #expect(box.shots.map(\.description) == ["2026-06-01T12:00:00Z"])
        #expect(wake == WallTime("2026-06-01T12:59:00Z"))
        // The time is learned while it is awake.
        _ = try box.wake(at: Self.time("2026-06-01T13:00:30Z"))
        #expect(box.shots.last == WallTime("2026-06-01T13:00:00Z") && box.skipped == 0)
        // A flat battery.
        let cold = try box.wake(at: Self.time("1970-01-01T00:00:20Z"))
        #expect(box.shots.last == WallTime("1970-01-01T00:00:00Z"))
        #expect(cold == WallTime("1970-01-01T00:59:00Z"))
        _ = try box.wake(at: Self.time("2026-06-01T15:00:30Z"))
        #expect(box.shots.last == WallTime("2026-06-01T15:00:00Z") && box.shots.count == 4 && box.skipped == 0)
    }

    @Test("A box that slept through its moments captures the latest one if it is not too late, and counts the others")
    func overslept() throws {
        var box = try Sleeper(Self.interval(900))
        _ = try box.wake(at: Self.time("2026-06-01T12:00:10Z"))
        let next = try box.wake(at: Self.time("2026-06-01T13:05:00Z"))
        #expect(box.shots.last == WallTime("2026-06-01T13:00:00Z") && box.skipped == 3)
        #expect(next == WallTime("2026-06-01T13:14:00Z"))
        var daily = try Sleeper(Self.calendar(["06:30"]))
        _ = try daily.wake(at: Self.time("2026-06-01T06:30:10Z"))
        let tomorrow = try daily.wake(at: Self.time("2026-06-02T06:41:00Z"))
        #expect(daily.shots.count == 1, "eleven minutes are too late")
        #expect(tomorrow == WallTime("2026-06-03T06:29:00Z"))
        _ = try daily.wake(at: Self.time("2026-06-03T06:29:30Z"))
        #expect(daily.shots.count == 2 && daily.skipped == 1)
    }

    @Test("A moment that was not captured stays due until it is too late")
    func failed() throws {
        let schedule = try Self.interval(3600)
        let tolerance = WakeSchedule.Tolerance(lead: .seconds(60), late: .seconds(600))
        func due(_ text: String) throws -> WallTime? {
            let now = try Self.time(text)
            return schedule.due(at: now, captured: WallTime("2026-06-01T11:00:00Z"), tolerance) { _ in 0 }?.time
        }
        let noon = try Self.time("2026-06-01T12:00:00Z")
        #expect(try due("2026-06-01T11:58:59Z") == nil)
        #expect(try due("2026-06-01T11:59:00Z") == noon)
        #expect(try due("2026-06-01T12:00:00Z") == noon)
        #expect(try due("2026-06-01T12:09:59Z") == noon)
        #expect(try due("2026-06-01T12:10:00Z") == nil)
    }
}
