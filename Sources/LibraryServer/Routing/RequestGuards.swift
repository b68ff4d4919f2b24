import LibraryAPI
import PhotoModel
import Synchronization

/// What stands between the network and the routes besides the endpoint table.
struct RequestGuards: Sendable {
    /// How much is done at once.
    let load: LoadLimit
    /// How much strangers may ask.
    let addresses: AddressLimit
    /// Refusals, for the audit.
    let denials: DenialJournal
}

/// Requests that are answered at once; more are sent away, so that memory does not grow with what is asked.
final class LoadLimit: Sendable {
    private let maximumCount: Int
    private let count = Mutex(0)

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    /// Takes a place.
    ///
    /// - Throws: `server.unavailable` with when to come back; nothing is to be given back then.
    func enter() throws(ProblemDetails) {
        let isIn = count.withLock { count in
            guard count < maximumCount else { return false }
            count += 1
            return true
        }
        guard isIn else {
            throw ProblemDetails(.unavailable, "The server is busy: ask again.", retryAfterSeconds: 2)
        }
    }

    /// Gives the place back.
    func leave() { count.withLock { $0 -= 1 } }
}

/// Requests that strangers may make: a bucket an address that fills with time.
///
/// Callers with an identity are not counted here: what they may do hangs on it, and it can be taken away.
final class AddressLimit: Sendable {
    private struct Bucket {
        var tokens: Double
        var filled: WallTime
    }

    /// Addresses that are remembered; when there are more, those that have waited long enough are forgotten.
    private static let maximumAddressCount = 10_000

    private let perMinute: Double
    private let buckets: Mutex<[String: Bucket]> = Mutex([:])

    /// Takes the number of requests that an address may make in a minute, all of them at once if it likes.
    init(perMinute: Int) {
        self.perMinute = Double(perMinute)
    }

    /// Counts a call.
    ///
    /// - Throws: `slow_down` with when to come back.
    func admit(_ call: Call) throws(ProblemDetails) {
        guard case .none = call.credential, let address = call.remoteAddress else { return }
        guard let seconds = wait(for: address, at: call.time) else { return }
        throw ProblemDetails(.slowDown, "Too many requests without an identity: wait.", retryAfterSeconds: seconds)
    }

    /// Takes a token; gives the seconds until there is one when there is none.
    func wait(for address: String, at time: WallTime) -> Int? {
        buckets.withLock { known in
            if known.count >= Self.maximumAddressCount, known[address] == nil {
                known = known.filter { content(of: $0.value, at: time) < perMinute }
                if known.count >= Self.maximumAddressCount { return 60 }
            }
            let tokens = known[address].map { content(of: $0, at: time) } ?? perMinute
            guard tokens >= 1 else { return max(1, Int(((1 - tokens) * 60 / perMinute).rounded(.up))) }
            known[address] = Bucket(tokens: tokens - 1, filled: time)
            return nil
        }
    }

    private func content(of bucket: Bucket, at time: WallTime) -> Double {
        let milliseconds = Double(max(0, time.millisecondsSince1970 - bucket.filled.millisecondsSince1970))
        return min(perMinute, bucket.tokens + milliseconds * perMinute / 60_000)
    }
}
