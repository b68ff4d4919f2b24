import LibraryAPI
import Persistence
import PhotoModel
package import Replication

/// This box's stored writing state: its incarnation, counter, clock, and history hash.
///
/// It is stored in the same transaction as its changes, so that no counter is ever reused.
package struct ReplicaAuthor: Hashable, Sendable {
    /// The incarnation.
    package var incarnation: Incarnation
    /// The clock that stamps writes.
    package var clock: HybridLogicalClock
    /// The history up to the last write.
    package var history: HistoryChain
    /// The history up to the last judged write.
    package var acknowledged: HistoryChain

    /// Begins an incarnation.
    package init(_ replica: ReplicaID, clock: HybridLogicalClock = HybridLogicalClock()) {
        incarnation = Incarnation(replica: replica)
        self.clock = clock
        history = HistoryChain(of: replica, hash: .sha256)
        acknowledged = history
    }
}

extension ReplicaAuthor: Codable {
    private enum CodingKeys: CodingKey {
        case incarnation, counter, forgottenThrough, clock, chain, acknowledged, acknowledgedChain
    }

    /// Decodes the stored state.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let bits = UInt128(try container.decode(String.self, forKey: .incarnation), radix: 16),
            let chain = HashValue(try container.decode(ContentDigest.self, forKey: .chain).bytes),
            let acknowledgedChain = HashValue(
                try container.decode(ContentDigest.self, forKey: .acknowledgedChain).bytes
            )
        else {
            throw decoder.corruption("no incarnation, or no hash")
        }
        let counter = try container.decode(UInt64.self, forKey: .counter)
        incarnation = Incarnation(
            replica: ReplicaID(rawValue: bits),
            counter: counter,
            forgottenThrough: try container.decode(UInt64.self, forKey: .forgottenThrough)
        )
        clock = HybridLogicalClock(last: HybridTimestamp(rawValue: try container.decode(UInt64.self, forKey: .clock)))
        history = HistoryChain(counter: counter, hash: chain)
        acknowledged = HistoryChain(
            counter: try container.decode(UInt64.self, forKey: .acknowledged),
            hash: acknowledgedChain
        )
    }

    /// Encodes the state to store.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(incarnation.replica.description, forKey: .incarnation)
        try container.encode(incarnation.counter, forKey: .counter)
        try container.encode(incarnation.forgottenThrough, forKey: .forgottenThrough)
        try container.encode(clock.last.rawValue, forKey: .clock)
        try container.encode(ContentDigest(bytes: history.hash.bytes), forKey: .chain)
        try container.encode(acknowledged.counter, forKey: .acknowledged)
        try container.encode(ContentDigest(bytes: acknowledged.hash.bytes), forKey: .acknowledgedChain)
    }
}

/// The position in the library's change feed.
struct ReplicaCursor: Codable {
    /// Where to continue; nil before the first page.
    var token: ChangeToken?
    /// Counts enumerations: entities missing from the last one have left the view.
    var generation: Int64 = 0
    /// Whether the current pages belong to an enumeration.
    var isEnumerating = true

    var position: ChangeFeedPosition { ChangeFeedPosition(token: token, enumeration: generation) }

    /// Starts reading the view from the beginning.
    mutating func beginAnew() {
        token = nil
        isEnumerating = true
        generation &+= 1
    }
}
