import Capture

/// The times at which frames were exposed, as a program tells them beside its frames.
///
/// What `rpicam-vid --metadata` writes: one object a frame, in the order of the frames and each behind its frame, every
/// value on a line of its own that is sent at once.
///
///     [
///     {
///         "SensorTimestamp": 78902417000,
///         "ExposureTime": 29967
///     },
///
/// `SensorTimestamp` is nanoseconds of the clock that the kernel stamps frames with (`CLOCK_MONOTONIC`, or
/// `CLOCK_BOOTTIME`, which is the same on a box that never was suspended).
struct SensorTimes {
    private static let longestLine = 64 << 10
    /// Objects that are remembered; a program that tells times and writes no frames is no reason to fill the memory.
    private static let mostKept = 64

    private var line: [UInt8] = []
    private var objectCount = 0
    private var times: [Int: MonotonicTime] = [:]

    /// Takes the next bytes.
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

    /// The time of a frame, if it was told; those of the frames before it are forgotten.
    ///
    /// - Parameter number: counts the program's frames from 0.
    /// - Returns: the time; nil when it was not told.
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
