import LibraryAPI
import PhotoModel
import Synchronization

/// Limits how many changes a device makes in a day, with a token bucket: each leaves a line of history and a row of its
/// entity for ever, however few bytes it has.
///
/// Each server of a library counts by itself, from its start.
final class ChangeAllowance: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: WallTime
    }

    /// Retrying later than this is not asked of a device.
    private static let longestWaitSeconds = 3600

    private let perDay: Double
    /// Of admitted devices only, which are few.
    private let buckets = Mutex<[DeviceID: Bucket]>([:])

    /// - Parameter perDay: changes of one device in a day, which may all come at once; 0 for no limit.
    init(perDay: Int) { self.perDay = Double(perDay) }

    /// Counts changes; operators are not counted.
    ///
    /// - Throws: `slow_down` with a retry time if the device has used its changes up.
    func take(_ count: Int, for device: DeviceID?, at time: WallTime) throws(ProblemDetails) {
        guard let device, perDay > 0, count > 0 else { return }
        let missing: Double = buckets.withLock { buckets in
            let bucket = buckets[device] ?? Bucket(tokens: perDay, filled: time)
            let elapsed = Double(max(0, time.millisecondsSince1970 - bucket.filled.millisecondsSince1970))
            let tokens = min(perDay, bucket.tokens + elapsed * perDay / 86_400_000)
            // Half a day's changes pass at any size of request, since smaller ones are counted meanwhile.
            let needed = min(Double(count), max(1, perDay / 2))
            guard tokens >= needed else { return needed - tokens }
            // A request that began earlier must not be given its time again; a clock that was far ahead is left behind.
            let filled = max(time, min(bucket.filled, time.advanced(by: .seconds(86_400))))
            buckets[device] = Bucket(tokens: tokens - min(Double(count), tokens), filled: filled)
            return 0
        }
        guard missing > 0 else { return }
        let seconds = min(missing * 86_400 / perDay, Double(Self.longestWaitSeconds)).rounded(.up)
        throw ProblemDetails(
            .slowDown,
            "A device may make \(Int(perDay)) changes in a day (device.changesPerDay): wait.",
            retryAfterSeconds: Int(seconds)
        )
    }
}
