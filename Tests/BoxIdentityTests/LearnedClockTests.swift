import PhotoModel
import Testing

@testable import BoxIdentity

struct LearnedClockTests {
    /// A clock learned when the server's and the box's showed these milliseconds.
    private func clock(_ server: Int64, at monotonic: UInt64) throws -> LearnedClock {
        let time = WallTime(millisecondsSince1970: server)
        return try #require(LearnedClock(time, atMonotonic: monotonic * 1_000_000))
    }

    @Test("a box's time is the monotonic clock plus what it learned of the server's")
    func learned() throws {
        #expect(try clock(1_000_000, at: 200).serverMilliseconds(atMonotonic: 500) == 1_000_300)
        let behind = try clock(10, at: 1001)
        #expect(behind.serverMilliseconds(atMonotonic: 1002) == 11)
        #expect(behind.serverMilliseconds(atMonotonic: 0) == 0)
        let hostile = try #require(LearnedClock(WallTime(microsecondsSince1970: .max), atMonotonic: 0))
        #expect(hostile.serverMilliseconds(atMonotonic: .max) == 0)
    }
}
