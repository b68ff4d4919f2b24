import Capture

/// When frames were exposed, as a program reports beside its frames.
///
/// The format is that of `rpicam-vid --metadata`: one object per frame, in order, each after its frame, every value on
/// its own line and flushed at once.
///
///     [
///     {
///         "SensorTimestamp": 78902417000,
///         "ExposureTime": 29967
///     },
///
/// `SensorTimestamp` is in nanoseconds of the clock with which the kernel stamps frames (`CLOCK_MONOTONIC`, or
/// `CLOCK_BOOTTIME`, which is the same on a box that was never suspended).
struct SensorTimes {
    private static let longestLine = 64 << 10
    /// The most timestamps kept: a program that reports times but writes no frames must not fill the memory.
    private static let mostKept = 64

    private var line: [UInt8] = []
    private var objectCount = 0
    private var times: [Int: MonotonicTime] = [:]

    /// Consumes the next bytes.
    mutating func append(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            guard byte == UInt8(ascii: "\n") else {
                if line.count < Self.longestLine { line.append(byte) }
                continue
            }
            read(String(decoding: line, as: UTF8.self))
            line.removeAll(keepingCapacity: true)
        }
    }

    /// Returns the time of a frame, counted from 0 in the program's output, if it was reported, and forgets those of
    /// earlier frames.
    mutating func time(ofFrame number: Int) -> MonotonicTime? {
        times = times.filter { $0.key >= number }
        return times[number]
    }

    private mutating func read(_ text: String) {
        if text.contains("{") { objectCount += 1 }
        guard objectCount > 0, times.count < Self.mostKept, let key = text.firstRange(of: "\"SensorTimestamp\"") else {
            return
        }
        let digits = text[key.upperBound...].drop { $0 == ":" || $0 == " " }.prefix { $0.isASCII && $0.isNumber }
        guard let nanoseconds = Int64(digits), nanoseconds > 0 else { return }
        times[objectCount - 1] = MonotonicTime(nanoseconds: nanoseconds)
    }
}
