/// 32 bytes of a hash.
package struct HashValue: Hashable, Sendable {
    /// The bytes.
    package let bytes: [UInt8]

    /// Nil unless it has 32 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }
}

/// The hash function, passed in because this module imports no cryptography: SHA-256 in production.
package struct HashFunction: Sendable {
    private let function: @Sendable ([UInt8]) -> HashValue

    package init(_ function: @escaping @Sendable ([UInt8]) -> HashValue) {
        self.function = function
    }

    /// Hashes bytes.
    package func callAsFunction(_ bytes: [UInt8]) -> HashValue { function(bytes) }
}

/// A rolling hash over the changes of one incarnation: two histories with equal counter and hash are the same.
///
/// The first link is the hash of the replica's 16 bytes; each further link is the hash of the previous link followed by
/// the change as a single-change delta (`Delta+Encoding.swift`).
package struct HistoryChain: Hashable, Sendable {
    /// The number of changes: the counter of the last.
    package private(set) var counter: UInt64
    /// The last link.
    package private(set) var hash: HashValue

    /// The empty history of a replica.
    package init(of replica: ReplicaID, hash function: HashFunction) {
        var writer = VarintWriter()
        writer.wide(replica.rawValue)
        counter = 0
        hash = function(writer.bytes)
    }

    /// A stored history.
    package init(counter: UInt64, hash: HashValue) {
        self.counter = counter
        self.hash = hash
    }

    /// Adds the next change, and returns it as a hashed single-change delta, ready to be applied.
    ///
    /// - Throws: `.counterGap` if the counter is not the next one.
    @discardableResult
    package mutating func append(_ change: Change, hash function: HashFunction) throws(ReplicationError) -> Delta {
        guard change.dot.counter == counter + 1 else {
            throw ReplicationError(.counterGap(expected: counter + 1), "A change is missing or repeated")
        }
        counter += 1
        let delta = Delta(CollectionOfOne(change))
        hash = function(hash.bytes + delta.encoded)
        return delta
    }
}

/// A writing replica: its identifier and its gapless counter.
///
/// The counter is durable before it is used: an incarnation is stored before any of its dots leaves.
package struct Incarnation: Hashable, Sendable {
    /// The identifier; new after a rollback or a clone.
    package let replica: ReplicaID
    /// The counter of the last write; 0 before the first.
    package private(set) var counter: UInt64
    /// The counter up to which writes may concern entities this replica has since forgotten: a later write cannot claim
    /// that no write lies in between.
    package private(set) var forgottenThrough: UInt64

    package init(replica: ReplicaID, counter: UInt64 = 0, forgottenThrough: UInt64 = 0) {
        self.replica = replica
        self.counter = counter
        self.forgottenThrough = forgottenThrough
    }

    /// Returns the next write's dot.
    package mutating func nextDot() -> Dot {
        counter += 1
        return Dot(replica: replica, counter: counter)
    }

    /// Notes that an entity is about to be forgotten.
    package mutating func noteForgotten() {
        forgottenThrough = counter
    }
}
