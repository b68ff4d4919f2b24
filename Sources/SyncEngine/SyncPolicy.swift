import LibraryAPI

/// How to send, and when not to.
package struct SyncPolicy: Hashable, Sendable {
    /// Concurrent requests, 1 to 16.
    package var parallelRequests = 4
    /// Bytes per append, at most 8 MiB: the most that an interruption costs.
    package var appendByteCount: Int64 = 8 << 20
    /// Concurrent batches, if that leaves one parallel request for larger assets.
    package var parallelBatches = 2
    /// Asset bytes per batch: the most that an interruption costs, for each concurrent batch.
    package var batchByteCount: Int64 = 8 << 20
    /// Assets per batch: even with the largest manifests it stays below the library's limit.
    package var batchAssetCount = 192
    /// The shortest wait after a failure.
    package var minimumBackoff = Duration.seconds(1)
    /// The longest wait after a failure.
    package var maximumBackoff = Duration.seconds(15 * 60)
    /// The interval between contacts if there is nothing to send, unless the library requests another.
    package var contactInterval = Duration.seconds(60)
    /// How long after the last owed capture to report to the library that nothing is pending, if the last contact was
    /// `contactInterval` ago by then; nil leaves that to the next contact.
    package var deliveryReportDelay: Duration?
    /// How often a refusal is retried at once before it counts as a failure.
    package var immediateRetries = 3
    /// Consecutive failures after which a single sync gives up.
    package var onceFailureCount = 4
    /// The part of the local day in which sending is allowed; nil for always.
    package var allowedMinutes: AllowedMinutes?
    /// The largest asset sent over a metered link, in bytes; larger ones wait for another link.
    package var meteredByteCount: Int64 = 8 << 20
    /// Seconds to long-poll for changes of the view; 0 checks only at contacts.
    package var listenSeconds = 0
    /// Entries held in memory at once.
    package var loadedEntryCount = 4096
    /// During an import the queue is loaded again once fewer entries than this are left in memory: two batches in
    /// flight and two waiting.
    package var fedEntryCount = 768

    /// The defaults.
    package init() {}
}

/// A part of the day, in minutes after midnight; it may span midnight.
package struct AllowedMinutes: Hashable, Sendable, LosslessStringConvertible {
    /// Minutes of a day.
    package static let perDay = 24 * 60

    /// The first allowed minute, 0 to 1439.
    package let first: Int
    /// The first minute that is no longer allowed, 0 to 1439.
    package let end: Int

    /// Nil if an end is not a minute of a day, or both are equal.
    package init?(first: Int, end: Int) {
        guard 0..<Self.perDay ~= first, 0..<Self.perDay ~= end, first != end else { return nil }
        self.first = first
        self.end = end
    }

    /// Parses `HH:MM-HH:MM`.
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

    /// Minutes until sending is allowed; 0 if it is now.
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

/// Delays between retries: exponential with full jitter, so that a fleet does not return in lockstep.
struct Backoff {
    let minimum: Duration
    private let maximum: Duration
    private var state: UInt64

    init(_ policy: SyncPolicy, seed: UInt64) {
        minimum = policy.minimumBackoff
        maximum = policy.maximumBackoff
        state = seed
    }

    /// A delay after this many failures in a row: uniform between the minimum and an upper bound that doubles each
    /// time.
    mutating func wait(after failures: Int) -> Duration {
        let ceiling = min(maximum, minimum * (1 << min(max(failures, 0), 20)))
        return minimum + (ceiling - minimum) * fraction()
    }

    /// A number in 0..<1 (SplitMix64).
    private mutating func fraction() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((mixed ^ (mixed >> 31)) >> 11) / Double(UInt64(1) << 53)
    }
}
