import LibraryAPI

/// What is sent how, and when not at all.
package struct SyncPolicy: Hashable, Sendable {
    /// Requests at once, 1 to 16.
    package var parallelRequests = 4
    /// Bytes of one append, at most 8 MiB: what a cut costs at most.
    package var appendByteCount: Int64 = 8 << 20
    /// Batches at once, where that leaves one of the parallel requests to larger assets.
    package var parallelBatches = 2
    /// Bytes of one batch's assets: what a cut costs at most, for each of the batches at once.
    package var batchByteCount: Int64 = 8 << 20
    /// Assets of one batch: with manifests of any size it stays below what the library takes.
    package var batchAssetCount = 192
    /// The shortest wait after a failure.
    package var minimumBackoff = Duration.seconds(1)
    /// The longest wait after a failure.
    package var maximumBackoff = Duration.seconds(15 * 60)
    /// Between two contacts when there is nothing to send, unless the library asks for another interval.
    package var contactInterval = Duration.seconds(60)
    /// How long after the last capture that was owed the library is told that nothing waits any more, if its last contact
    /// was `contactInterval` ago by then; nil leaves that to the next contact.
    package var deliveryReportDelay: Duration?
    /// Times that one refusal is tried again at once before it counts as a failure.
    package var immediateRetries = 3
    /// Failures in a row after which a single sync gives up.
    package var onceFailureCount = 4
    /// Minutes of the local day in which something may be sent; nil for always.
    package var allowedMinutes: AllowedMinutes?
    /// The most bytes of an asset that goes over a metered link; larger ones wait for another link.
    package var meteredByteCount: Int64 = 8 << 20
    /// Seconds for which it waits at the library for changes of the view; 0 asks at contacts only.
    package var listenSeconds = 0
    /// Entries that are held in memory at once.
    package var loadedEntryCount = 4096

    /// The defaults.
    package init() {}
}

/// A part of the day, in minutes after midnight; it may go on after midnight.
package struct AllowedMinutes: Hashable, Sendable, LosslessStringConvertible {
    /// Minutes of a day.
    package static let perDay = 24 * 60

    /// The first minute that is allowed, 0 to 1439.
    package let first: Int
    /// The first minute that is not allowed any more, 0 to 1439.
    package let end: Int

    /// Takes both ends; nil when one is no minute of a day, or when they are equal.
    package init?(first: Int, end: Int) {
        guard 0..<Self.perDay ~= first, 0..<Self.perDay ~= end, first != end else { return nil }
        self.first = first
        self.end = end
    }

    /// Reads `HH:MM-HH:MM`.
    package init?(_ description: String) {
        let sides = description.split(separator: "-", omittingEmptySubsequences: false).map { side -> Int? in
            let parts = side.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(parts[0]),
                let minute = Int(parts[1]), 0..<24 ~= hour, 0..<60 ~= minute
            else { return nil }
            return hour * 60 + minute
        }
        guard sides.count == 2, let first = sides[0], let end = sides[1] else { return nil }
        self.init(first: first, end: end)
    }

    /// Minutes until something may be sent; 0 while it may.
    package func wait(at minute: Int) -> Int {
        let isInside = first < end ? first..<end ~= minute : minute >= first || minute < end
        return isInside ? 0 : (first - minute + Self.perDay) % Self.perDay
    }

    /// `HH:MM-HH:MM`.
    package var description: String { "\(Self.text(first))-\(Self.text(end))" }

    private static func text(_ minute: Int) -> String {
        let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return parts.joined(separator: ":")
    }
}

/// Waits between tries: exponential with full jitter, so that a fleet does not come back in step.
struct Backoff {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// A wait after so many failures in a row: even between the shortest wait and twice as much with each failure.
    mutating func wait(after failures: Int, _ policy: SyncPolicy) -> Duration {
        let doubled = policy.minimumBackoff * (1 << min(max(failures, 0), 20))
        let ceiling = min(policy.maximumBackoff, doubled)
        return policy.minimumBackoff + (ceiling - policy.minimumBackoff) * fraction()
    }

    /// A number from 0 up to 1 (SplitMix64).
    private mutating func fraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(UInt64(1) << 53)
    }
}
