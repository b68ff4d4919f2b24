/// The hash of all entities from one identifier up to before another, for finding a difference between two replicas.
package struct RangeFingerprint: Hashable, Sendable {
    /// The first identifier of the range; nil for the very beginning.
    package let lower: EntityID?
    /// The first identifier behind the range; nil for the very end.
    package let upper: EntityID?
    /// How many entities there are.
    package let count: Int
    /// The hash over their canonical bytes' hashes, in order.
    package let hash: HashValue
}

/// The hashes of one replica's entities, made for one search of a difference.
///
/// Both sides compare fingerprints of a few ranges; those that differ are split, until they are short enough to be sent
/// whole. The cost grows with the differences, not with the library (range-based set reconciliation, Meyer 2022).
package struct RangeIndex: Sendable {
    /// What to do about a range that was compared.
    package enum Answer: Hashable, Sendable {
        /// Nothing: it is the same.
        case same
        /// Compare these parts of it.
        case split([RangeFingerprint])
        /// It is short: exchange these entities, and what the other side has in the range.
        case exchange([EntityID])
    }

    private let ids: [EntityID]
    private let hashes: [HashValue]
    private let function: HashFunction

    private static let parts = 16
    private static let shortCount = 16

    /// Hashes every entity of a state.
    package init(_ state: ReplicaState, hash function: HashFunction) {
        ids = state.identifiers
        hashes = ids.map { function(state.part(CollectionOfOne($0)).canonicalBytes) }
        self.function = function
    }

    /// The fingerprint of everything.
    package var whole: RangeFingerprint { fingerprint(from: nil, to: nil) }

    /// The fingerprint of a range.
    package func fingerprint(from lower: EntityID?, to upper: EntityID?) -> RangeFingerprint {
        let range = positions(from: lower, to: upper)
        return RangeFingerprint(
            lower: lower,
            upper: upper,
            count: range.count,
            hash: function(Array(hashes[range].map(\.bytes).joined()))
        )
    }

    /// The identifiers of a range.
    package func identifiers(from lower: EntityID?, to upper: EntityID?) -> [EntityID] {
        Array(ids[positions(from: lower, to: upper)])
    }

    /// Compares the other side's fingerprint with one's own.
    package func compare(_ other: RangeFingerprint) -> Answer {
        let own = fingerprint(from: other.lower, to: other.upper)
        if own.count == other.count, own.hash == other.hash { return .same }
        let range = positions(from: other.lower, to: other.upper)
        guard range.count > Self.shortCount else { return .exchange(Array(ids[range])) }
        var bounds: [EntityID?] = (1..<Self.parts).map { ids[range.lowerBound + range.count * $0 / Self.parts] }
        bounds = [other.lower] + bounds + [other.upper]
        return .split(zip(bounds, bounds.dropFirst()).map { fingerprint(from: $0, to: $1) })
    }

    private func positions(from lower: EntityID?, to upper: EntityID?) -> Range<Int> {
        let start = lower.map(firstPosition(notBefore:)) ?? 0
        let end = upper.map(firstPosition(notBefore:)) ?? ids.count
        return start..<max(start, end)
    }

    private func firstPosition(notBefore id: EntityID) -> Int {
        var low = 0
        var high = ids.count
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
