import LibraryAPI
import PhotoModel
import Synchronization

/// The protections between the network and the routes, besides the endpoint table.
struct RequestGuards: Sendable {
    let load: LoadLimit
    /// The limit of buffered body bytes.
    let bodies: LoadLimit
    /// The rate limit per address.
    let addresses: AddressLimit
    /// The minimum rate of bodies.
    let pace: BodyPace
    /// Refusals, for the audit.
    let denials: DenialJournal
    /// What each device's requests keep busy.
    let places = DevicePlaces()
    /// The limit of each device's changes in a day.
    var allowance = ChangeAllowance(perDay: 0)
}

extension Endpoint {
    /// Whether each of its requests takes a turn of the library's writer, for which others wait.
    ///
    /// What saves assets shares its turns with all who save at the time, and is limited by uploads and quotas.
    var takesTurn: Bool {
        let sharing: [Endpoint] = [.createAsset, .createBatch, .appendUpload, .commitAsset]
        return ![.get, .head].contains(method) && !sharing.contains(self) && self != .checkHashes
    }

    /// The place that each of its requests takes until its response is sent; nil if it needs none, or if that depends on
    /// the request.
    var place: DevicePlaces.Kind? {
        switch self {
        case .changeStream: .wait
        case .timeline, .places: .wholeRead
        case .appendUpload, .createBatch: .send
        case .assets, .albums, .albumAssets, .checkHashes, .pickedItems: .list
        case .livePhoto, .motionPhoto, .createArchive, .archive, .prepareArchive, .archiveContent: .file
        // The original is parsed.
        case .facts: .file
        default: nil
        }
    }
}

/// Limits concurrent use, such as requests or bytes; more is rejected, so that load does not grow memory.
final class LoadLimit: Sendable {
    private let maximumCount: Int
    private let refusal: String
    private let count = Mutex(0)

    /// - Parameters:
    ///   - maximumCount: the number of places.
    ///   - refusal: the message when none is free.
    init(maximumCount: Int, refusal: String) {
        self.maximumCount = maximumCount
        self.refusal = refusal
    }

    /// Takes places.
    ///
    /// - Throws: `server.unavailable` with a retry time; do not call ``leave(_:)`` then.
    func enter(_ more: Int = 1) throws(ProblemDetails) {
        let isIn = count.withLock { count in
            guard more <= maximumCount - count else { return false }
            count += more
            return true
        }
        guard isIn else { throw ProblemDetails(.unavailable, refusal, retryAfterSeconds: 2) }
    }

    /// Releases places.
    func leave(_ taken: Int = 1) { count.withLock { $0 -= taken } }
}

/// Rate-limits requests per address (see `AddressNetwork`) with a token bucket: a small one for strangers, a large one
/// for callers with an identity, who can also be revoked.
final class AddressLimit: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: WallTime
    }

    private struct Key: Hashable {
        let address: String
        let isKnown: Bool
    }

    /// The number of remembered addresses; beyond that, those with full buckets are forgotten.
    private static let maximumAddressCount = 10_000

    private let strangersPerMinute: Double
    private let knownPerMinute: Double
    private let buckets: Mutex<[Key: Bucket]> = Mutex([:])

    /// Creates a limit; each number is requests per minute of one address, which may all come at once.
    init(perMinute strangers: Int, known: Int = .max) {
        strangersPerMinute = Double(strangers)
        knownPerMinute = Double(known)
    }

    /// Counts a call; operators on their socket have no address.
    ///
    /// - Throws: `slow_down` with a retry time.
    func admit(_ call: Call) throws(ProblemDetails) {
        guard let address = call.remoteAddress else { return }
        let isKnown = call.credential != .none
        guard let seconds = wait(for: address, isKnown: isKnown, at: call.time) else { return }
        let words =
            isKnown ? "Too many requests from this address: wait." : "Too many requests without an identity: wait."
        throw ProblemDetails(.slowDown, words, retryAfterSeconds: seconds)
    }

    /// Takes a token, or returns the seconds until one is available.
    func wait(for address: String, isKnown: Bool = false, at time: WallTime) -> Int? {
        let key = Key(address: AddressNetwork.name(of: address), isKnown: isKnown)
        let perMinute = perMinute(key)
        return buckets.withLock { known in
            if known.count >= Self.maximumAddressCount, known[key] == nil {
                known = known.filter {
                    content(of: $0.value, perMinute: self.perMinute($0.key), at: time) < self.perMinute($0.key)
                }
                if known.count >= Self.maximumAddressCount { return 60 }
            }
            let tokens = known[key].map { content(of: $0, perMinute: perMinute, at: time) } ?? perMinute
            guard tokens >= 1 else { return max(1, Int(((1 - tokens) * 60 / perMinute).rounded(.up))) }
            known[key] = Bucket(tokens: tokens - 1, filled: time)
            return nil
        }
    }

    private func perMinute(_ key: Key) -> Double { key.isKnown ? knownPerMinute : strangersPerMinute }

    private func content(of bucket: Bucket, perMinute: Double, at time: WallTime) -> Double {
        let milliseconds = Double(max(0, time.millisecondsSince1970 - bucket.filled.millisecondsSince1970))
        return min(perMinute, bucket.tokens + milliseconds * perMinute / 60_000)
    }
}
