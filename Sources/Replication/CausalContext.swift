/// The writes of one entity that have been seen, as runs of counters: a write that was seen but is absent was
/// overwritten.
///
/// A replica's counter spans all entities, so gaps between an entity's writes mean nothing. Each write therefore names
/// the counter after which it is the replica's next one on that entity: it covers `after < counter <= through`.
/// Touching or overlapping runs merge, so the usual context is one run per replica: the contiguous part. A write known
/// only because another one supersedes it covers just itself, after a gap. The result is a plain union of intervals:
/// the same writes give the same runs in any order.
///
/// Replicas are indices into the owner's `ReplicaTable`.
struct CausalContext: Equatable {
    /// `after < counter <= through` have been seen.
    struct Run: Equatable {
        let replica: UInt32
        var after: UInt64
        var through: UInt64
    }

    /// Sorted by replica, then by counter; runs of one replica neither touch nor overlap.
    private(set) var runs: [Run] = []

    /// The runs beyond the first of each replica.
    var gapCount: Int { zip(runs, runs.dropFirst()).count { $0.replica == $1.replica } }

    /// Whether a write has been seen.
    @inline(__always)
    func covers(_ replica: UInt32, _ counter: UInt64) -> Bool {
        let index = firstRun(of: replica, reaching: counter)
        return index < runs.count && runs[index].replica == replica && runs[index].after < counter
    }

    /// The newest seen counter of a replica; 0 if none.
    func newest(of replica: UInt32) -> UInt64 {
        let index = firstRun(of: replica + 1, reaching: 0) - 1
        return index >= 0 && runs[index].replica == replica ? runs[index].through : 0
    }

    /// Marks `after < counter <= through` as seen, and returns whether that was news.
    @discardableResult
    @inline(__always)
    mutating func cover(_ replica: UInt32, after: UInt64, through: UInt64) -> Bool {
        let index = firstRun(of: replica, reaching: after)
        guard index < runs.count, runs[index].replica == replica, runs[index].after <= through else {
            runs.insert(Run(replica: replica, after: after, through: through), at: index)
            return true
        }
        guard after < runs[index].after || through > runs[index].through else { return false }
        widen(index, after: after, through: through)
        return true
    }

    private mutating func widen(_ index: Int, after: UInt64, through: UInt64) {
        let replica = runs[index].replica
        runs[index].after = min(runs[index].after, after)
        runs[index].through = max(runs[index].through, through)
        var end = index + 1
        while end < runs.count, runs[end].replica == replica, runs[end].after <= runs[index].through {
            runs[index].through = max(runs[index].through, runs[end].through)
            end += 1
        }
        runs.removeSubrange(index + 1..<end)
    }

    mutating func removeAll() {
        runs.removeAll()
    }

    mutating func reserve(_ count: Int) {
        runs.reserveCapacity(count)
    }

    /// The first run whose replica is later, or the same with `through >= counter`.
    @inline(__always)
    private func firstRun(of replica: UInt32, reaching counter: UInt64) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) >> 1
            let run = runs[middle]
            if run.replica < replica || (run.replica == replica && run.through < counter) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}
