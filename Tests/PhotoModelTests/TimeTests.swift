import FoundationEssentials
import PhotoModel
import TestSupport
import Testing

struct TimeTests {
    @Test(
        "an instant is written in ISO 8601",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_767_323_045_250_000, "2026-01-02T03:04:05.25Z"),
            (-1, "1969-12-31T23:59:59.999999Z"), (951_782_400_000_000, "2000-02-29T00:00:00Z"),
            (253_402_300_799_999_999, "9999-12-31T23:59:59.999999Z"), (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"),
        ]
    )
    func text(microseconds: Int64, text: String) {
        #expect(WallTime(microsecondsSince1970: microseconds).description == text)
        #expect(WallTime(text)?.microsecondsSince1970 == microseconds)
    }

    @Test("offsets shift the reading, not the instant")
    func offsets() {
        #expect(WallTime("2026-01-02T03:04:05+01:00") == WallTime("2026-01-02T02:04:05Z"))
        #expect(WallTime("2026-01-02T03:04:05-0930") == WallTime("2026-01-02T12:34:05Z"))
        #expect(CivilTime("2026-01-02T03:04:05")?.utcOffsetSeconds == nil)
        #expect(WallTime("2026-01-02T03:04:05") == nil)
        #expect(CivilTime.offsetText(seconds: -34_200) == "-09:30")
    }

    @Test(
        "an offset beyond 18 hours counts as 18",
        arguments: [(Int.max, 64_800), (.min, -64_800), (64_801, 64_800)] as [(Int, Int)]
    )
    func impossibleOffsets(offset: Int, counted: Int) throws {
        let reading = try #require(CivilTime("2026-01-02T03:04:05"))
        let time = reading.instant(assumingUTCOffsetSeconds: offset)
        #expect(time == reading.instant(assumingUTCOffsetSeconds: counted))
        #expect(CivilTime(time, utcOffsetSeconds: offset).description.hasPrefix("2026-01-02T03:04:05"))
    }

    @Test(
        "what is no time gives none",
        arguments: [
            "", "2026", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00.Z",
            "2026-01-01T00:00:00+19:00", "2026-01-01T00:00:00Zx", "２０２６-01-01T00:00:00Z", "-026-01-01T00:00:00Z",
        ]
    )
    func malformed(text: String) {
        #expect(WallTime(text) == nil)
    }

    @Test("every instant of the years 0 to 9999 leads back from its text, agreeing with Foundation's calendar")
    func roundTrip() {
        checkProperty("civil time", cases: 2000) { generator, _ in
            let time = WallTime(
                microsecondsSince1970: Int64.random(
                    in: -62_167_219_200_000_000...253_402_300_799_999_999,
                    using: &generator
                )
            )
            let offset = generator.below(129_601) - 64_800
            let civil = CivilTime(time, utcOffsetSeconds: offset)
            guard WallTime(time.description) == time else { return "\(time) does not lead back" }
            let foundation = Date(timeIntervalSince1970: Double(time.millisecondsSince1970) / 1000)
            // Foundation's calendar is the Julian one before 15 October 1582.
            let isGregorian = time >= WallTime(millisecondsSince1970: -12_219_292_800_000)
            guard !isGregorian || time.description.prefix(19) == foundation.ISO8601Format().prefix(19) else {
                return "\(time) is \(foundation.ISO8601Format()) for Foundation"
            }
            let isHeld = civil.year == 0 || civil.year == 9999
            return isHeld || civil.instant == time ? nil : "\(time) at \(offset) gives \(civil)"
        }
    }

    @Test("extreme instants are held at the ends instead of trapping")
    func extremes() {
        #expect(WallTime(millisecondsSince1970: .max) == .latest)
        #expect(WallTime(microsecondsSince1970: .max).description == "9999-12-31T23:59:59.999999Z")
        #expect(WallTime(microsecondsSince1970: .min).description == "0000-01-01T00:00:00Z")
        let late = WallTime(microsecondsSince1970: .max).advanced(by: .seconds(1))
        #expect(late == .latest)
        #expect(WallTime.earliest.advanced(by: .seconds(Int64.min)) == .earliest)
        #expect(WallTime(microsecondsSince1970: .max) == .latest && WallTime(millisecondsSince1970: .min) == .earliest)
    }

    private static let boot = BootID(rawValue: 1)
    /// When the boot began, as is learned later.
    private static let epoch = WallTime(millisecondsSince1970: 1_790_000_000_000)

    /// A capture seven seconds after the boot, at which the wall clock showed this.
    private static func capture(at wall: WallTime) -> CaptureTime {
        CaptureTime(
            wall: wall,
            monotonicNanoseconds: 7_000_000_000,
            bootID: boot,
            source: .deviceClock,
            isSynchronized: false
        )
    }

    @Test("a capture of a boot with a wrong clock is corrected when the right time is learned, others are left alone")
    func correction() throws {
        let capture = Self.capture(at: WallTime(millisecondsSince1970: 5000))
        let corrected = try #require(capture.corrected(bootID: Self.boot, monotonicEpoch: Self.epoch))
        #expect(corrected.wall == WallTime(millisecondsSince1970: 1_790_000_007_000))
        #expect(corrected.source == .corrected)
        #expect(corrected.corrected(bootID: Self.boot, monotonicEpoch: Self.epoch) == nil)
        #expect(capture.corrected(bootID: BootID(rawValue: 2), monotonicEpoch: Self.epoch) == nil)
    }

    @Test("a wall clock that was right as far as a network can tell keeps its time, and is known to be right")
    func confirmation() throws {
        let capture = Self.capture(at: WallTime(microsecondsSince1970: 1_790_000_007_515_466))
        let known = try #require(capture.corrected(bootID: Self.boot, monotonicEpoch: Self.epoch))
        #expect(known.wall == capture.wall && known.source == .deviceClock && known.isSynchronized)
        let off = WallTime(millisecondsSince1970: 1_790_000_002_000)
        #expect(capture.corrected(bootID: Self.boot, monotonicEpoch: off)?.source == .corrected)
    }
}
