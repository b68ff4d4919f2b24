import CaptureTestSupport
import Foundation
import PhotoModel
import Synchronization
import TestSupport
import Testing

@testable import Capture

/// What a trigger fired, as it fired it.
final class Firings: Sendable {
    private let events = Mutex<[TriggerEvent]>([])

    var all: [TriggerEvent] { events.withLock(\.self) }

    func add(_ event: TriggerEvent) { events.withLock { $0.append(event) } }

    /// Runs a trigger by a simulated clock for so long.
    static func of(_ trigger: some TriggerSource, by clock: SimulatedClock, for duration: Duration) async
        -> [TriggerEvent]
    {
        let firings = Firings()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await trigger.run { firings.add($0) } }
            await clock.advance(by: duration)
            group.cancelAll()
        }
        return firings.all
    }
}

struct TriggerTests {
    @Test("An interval fires at full minutes of the wall clock for a day, never off by a nanosecond")
    func interval() async throws {
        let clock = SimulatedClock(participants: 1)
        let trigger = try #require(IntervalTrigger(every: .seconds(60), clock: clock))
        let began = clock.reading()
        let events = await Firings.of(trigger, by: clock, for: .seconds(86_400))
        #expect(events.count == 1440)
        for (number, event) in events.enumerated() {
            #expect(event.trigger == Trigger(.interval) && event.skippedCount == 0)
            let wall = began.captureTime(of: event.time, bootID: nil).wall.microsecondsSince1970
            #expect(wall % 60_000_000 == 0)
            #expect(event.time.duration(since: events[0].time) == .seconds(60 * number))
        }
    }

    @Test("An interval that is too short is none")
    func shortInterval() {
        #expect(IntervalTrigger(every: .microseconds(10), clock: FixedClock()) == nil)
    }

    @Test("A calendar fires each morning at its time by the clock on the wall, once")
    func calendar() async throws {
        let clock = SimulatedClock(participants: 1)
        let moment = try #require(CalendarSchedule.Moment("06:30"))
        let schedule = try #require(CalendarSchedule(moments: [moment]))
        let began = clock.reading()
        let events = await Firings.of(CalendarTrigger(schedule, clock: clock), by: clock, for: .seconds(3 * 86_400))
        let times = events.map { event in
            CivilTime(began.captureTime(of: event.time, bootID: nil).wall, utcOffsetSeconds: 3600)
        }
        #expect(times.map(\.hour) == [6, 6, 6] && times.map(\.minute) == [30, 30, 30])
        #expect(Set(times.map(\.day)).count == 3)
    }

    @Test("A calendar fires once a day when the clocks change, also at a time that they skip or repeat")
    func runningCalendar() async throws {
        for (begin, expected) in [
            ("2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]),
            ("2026-03-28T12:00:00Z", ["2026-03-29T01:30:00Z", "2026-03-30T00:30:00Z"]),
        ] {
            let zone = try #require(TimeZone(identifier: "Europe/Zurich"))
            let start = MonotonicTime(nanoseconds: 0)
            let clock = SimulatedClock(participants: 1, start: start, epoch: try #require(WallTime(begin)), zone: zone)
            let moment = try #require(CalendarSchedule.Moment("02:30"))
            let schedule = try #require(CalendarSchedule(moments: [moment]))
            let events = await Firings.of(CalendarTrigger(schedule, clock: clock), by: clock, for: .seconds(38 * 3600))
            let epoch = try #require(WallTime(begin))
            let times = events.map { epoch.advanced(by: .nanoseconds($0.time.nanoseconds)).description }
            #expect(times == expected)
        }
    }

    @Test(
        "A day's moment is written as a time, or as the sun's with an offset",
        arguments: [
            ("06:30", "06:30"), ("23:59:58", "23:59:58"), ("sunrise", "sunrise+0"), ("sunset-00:30", "sunset-1800"),
            ("sunrise+01:15", "sunrise+4500"), ("6:30", nil), ("24:00", nil), ("sunset 00:30", nil), ("sunrise+", nil),
            ("", nil), ("06:30:61", nil),
        ] as [(String, String?)]
    )
    func moments(text: String, expected: String?) {
        let found: String? =
            switch CalendarSchedule.Moment(text) {
            case .time(let time): time == TriggerTests.time(text) ? text : "another time"
            case .sunrise(let offset): "sunrise+\(offset.components.seconds)"
            case .sunset(let offset): "sunset\(offset.components.seconds)"
            case nil: nil
            }
        #expect(found == expected)
    }

    private static func time(_ text: String) -> CalendarSchedule.TimeOfDay? {
        let numbers = text.split(separator: ":").compactMap { Int($0) }
        let second = numbers.count > 2 ? numbers[2] : 0
        return CalendarSchedule.TimeOfDay(hour: numbers[0], minute: numbers[1], second: second)
    }

    @Test("A calendar by the sun needs a place")
    func sunWithoutPlace() {
        #expect(CalendarSchedule(moments: [.sunrise(offset: .zero)]) == nil)
    }

    @Test(
        "Sunrise and sunset agree with the almanacs to two minutes",
        arguments: [
            (51.5074, -0.1278, "2024-06-20", 3600, "2024-06-20T03:43:00Z", "2024-06-20T20:21:00Z"),
            (40.7128, -74.006, "2024-12-21", -18_000, "2024-12-21T12:17:00Z", "2024-12-21T21:32:00Z"),
            (-33.8688, 151.2093, "2024-12-21", 39_600, "2024-12-20T18:41:00Z", "2024-12-21T09:05:00Z"),
            (0, 0, "2025-03-20", 0, "2025-03-20T06:04:00Z", "2025-03-20T18:11:00Z"),
        ]
    )
    func sun(
        latitude: Double,
        longitude: Double,
        day: String,
        offset: Int,
        sunrise: String,
        sunset: String
    ) throws {
        let place = try #require(Location(latitude: latitude, longitude: longitude))
        let midnight = try #require(WallTime("\(day)T00:00:00Z"))
        let number = midnight.microsecondsSince1970 / 86_400_000_000
        let times = try #require(SolarTimes(day: number, at: place, utcOffsetSeconds: offset))
        for (found, expected) in [(times.sunrise, sunrise), (times.sunset, sunset)] {
            let distance = found.duration(since: try #require(WallTime(expected)))
            #expect(distance.magnitude <= .seconds(120), "\(found) instead of \(expected)")
        }
    }

    @Test("Where the sun does not set there is no sunset, and a schedule by it waits for the next one")
    func midnightSun() throws {
        let place = try #require(Location(latitude: 69.65, longitude: 18.96))
        let midsummer = try #require(WallTime("2025-06-21T12:00:00Z"))
        let day = midsummer.microsecondsSince1970 / 86_400_000_000
        #expect(SolarTimes(day: day, at: place, utcOffsetSeconds: 7200) == nil)
        let schedule = try #require(CalendarSchedule(moments: [.sunset(offset: .zero)], location: place))
        #expect(schedule.next(after: midsummer, utcOffset: { _ in 7200 }) == nil)
        let march = try #require(WallTime("2025-03-21T12:00:00Z"))
        #expect(schedule.next(after: march, utcOffset: { _ in 3600 }) != nil)
    }

    @Test("With a clock twelve hours from the sun's, every day has its sunset")
    func oppositeClock() throws {
        let place = try #require(Location(latitude: -1.35, longitude: -63.52))
        let schedule = try #require(CalendarSchedule(moments: [.sunset(offset: .zero)], location: place))
        for hours in -12...14 {
            var time = try #require(WallTime("1980-01-01T00:00:00Z"))
            for _ in 0..<400 {
                let next = try #require(schedule.next(after: time, utcOffset: { _ in hours * 3600 }))
                #expect(next.duration(since: time) < .seconds(86_400 + 600), "\(hours) h, after \(time)")
                time = next
            }
        }
    }

    @Test("The next sunset is after now and within a day, wherever and whenever")
    func nextSunset() {
        checkProperty("next sunset", cases: 300) { generator, _ in
            let place = Location(
                latitude: Double(generator.below(12_000)) / 100 - 60,
                longitude: Double(generator.below(36_000)) / 100 - 180
            )
            guard let place, let schedule = CalendarSchedule(moments: [.sunset(offset: .zero)], location: place) else {
                return "no schedule"
            }
            let now = WallTime(millisecondsSince1970: Int64(generator.below(2_000_000_000)) * 1000)
            let offset = (generator.below(27) - 12) * 3600
            guard let next = schedule.next(after: now, utcOffset: { _ in offset }) else { return "none" }
            let wait = next.duration(since: now)
            return wait > .zero && wait < .seconds(86_400 + 600) ? nil : "\(wait) after \(now) at \(place)"
        }
    }

    @Test("Any of several triggers fires alone; all of them only together within their window")
    func combination() {
        let motion = Trigger(.motion)
        let door = Trigger(.input, name: "door")
        var any = TriggerCombination([motion, door], .any)
        #expect(any.offer(TriggerEvent(motion, at: at(0))) != nil)
        var all = TriggerCombination([motion, door], .all(within: .seconds(5)))
        #expect(all.offer(TriggerEvent(motion, at: at(0))) == nil)
        #expect(all.offer(TriggerEvent(door, at: at(6000))) == nil, "the motion is too long ago")
        let joined = all.offer(TriggerEvent(motion, at: at(7000)))
        #expect(joined?.time == at(7000))
        #expect(joined?.trigger == Trigger(.motion, name: "input door and motion"))
        #expect(all.offer(TriggerEvent(motion, at: at(7100))) == nil, "all must fire again")
        #expect(all.offer(TriggerEvent(.command, at: at(7200))) != nil, "a command needs nothing else")
    }

    @Test("A button that bounces fires once; only the wanted change counts")
    func edges() {
        var filter = EdgeFilter(.rising, quietTime: .milliseconds(50))
        let changes: [(Int64, Bool)] = [(0, true), (3, false), (5, true), (8, false), (300, false), (900, true)]
        let accepted = changes.filter { filter.accepts(InputEdge(time: at($0.0), isRising: $0.1)) }
        #expect(accepted.map(\.0) == [0, 900])
        var both = EdgeFilter(.both, quietTime: .zero)
        #expect(changes.count { both.accepts(InputEdge(time: at($0.0), isRising: $0.1)) } == changes.count)
    }

    @Test("An input trigger fires at the times that the kernel stamped, until it is cancelled")
    func input() async throws {
        struct Line: InputLine {
            func run(_ receive: @escaping @Sendable (InputEdge) -> Void) async throws(CaptureError) {
                for time in [0, 1000, 2000] { receive(InputEdge(time: at(Int64(time)), isRising: true)) }
            }
        }
        let filter = EdgeFilter(.rising, quietTime: .milliseconds(10))
        let trigger = InputTrigger(Line(), filter: filter, name: "gate")
        let firings = Firings()
        try await trigger.run { firings.add($0) }
        #expect(firings.all.map(\.time) == [at(0), at(1000), at(2000)])
        #expect(firings.all.first?.trigger.description == "input gate")
    }
}
