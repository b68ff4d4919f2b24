import PhotoModel
import Testing

@testable import Terminal

struct WordingTests {
    private static let now = WallTime(microsecondsSince1970: 1_790_000_000_000_000)

    @Test(
        "times are told relative to now, and as a day when they are far",
        arguments: [
            (0, "now"), (1, "1 s ago"), (59, "59 s ago"), (60, "1 min ago"), (3599, "59 min ago"), (3600, "1 h ago"),
            (172_799, "47 h ago"), (172_800, "2 d ago"), (5_183_999, "59 d ago"), (5_184_000, "2026-07-23"),
            (-1, "in 1 s"), (-86_400, "in 24 h"), (-86_398, "in 24 h"), (-604_800, "in 7 d"), (-604_799, "in 7 d"),
        ]
    )
    func relative(secondsAgo: Int64, words: String) {
        #expect(Wording.relative(Self.now.advanced(by: .seconds(-secondsAgo)), now: Self.now) == words)
    }

    @Test("what is to come within the second that has begun is not over yet")
    func begunSecond() {
        #expect(Wording.relative(Self.now.advanced(by: .milliseconds(300)), now: Self.now) == "in 1 s")
        #expect(Wording.relative(Self.now.advanced(by: .milliseconds(86_399_200)), now: Self.now) == "in 24 h")
    }

    @Test("what never happened is said so")
    func never() {
        #expect(Wording.relative(nil, now: Self.now) == "never")
        #expect(Wording.relative(WallTime(microsecondsSince1970: .min), now: Self.now) == "0000-01-01")
    }

    @Test(
        "bytes are told in powers of 1024",
        arguments: [
            (Int64(0), "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_576, "1.0 MiB"),
            (.max, "8192.0 PiB"), (-1536, "-1.5 KiB"), (.min, "-8192.0 PiB"),
        ]
    )
    func bytes(count: Int64, words: String) {
        #expect(Wording.byteCount(count) == words)
    }

    @Test("a noun follows its number")
    func counts() {
        #expect(Wording.count(1, "device") == "1 device")
        #expect(Wording.count(0, "device") == "0 devices")
        #expect(Wording.count(2, "entry", plural: "entries") == "2 entries")
    }
}
