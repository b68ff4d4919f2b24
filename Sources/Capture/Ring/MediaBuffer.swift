import MediaFormats
import Synchronization

/// The most memory that kept media may take, counted over everybody who holds some of it.
package final class MediaBudget: Sendable {
    private let limit: Atomic<Int>
    private let used = Atomic<Int>(0)

    /// A budget of so many bytes.
    package init(limit: Int) {
        self.limit = Atomic(limit)
    }

    /// Changes the limit; what is held already stays.
    package func setLimit(_ limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
    }

    /// How many bytes are held now.
    package var usedByteCount: Int { used.load(ordering: .relaxed) }

    /// Takes bytes out of the budget; false, and nothing taken, when there are not so many left.
    fileprivate func reserve(_ count: Int) -> Bool {
        var seen = used.load(ordering: .relaxed)
        while seen + count <= limit.load(ordering: .relaxed) {
            let (exchanged, now) = used.weakCompareExchange(
                expected: seen,
                desired: seen + count,
                ordering: .relaxed
            )
            if exchanged { return true }
            seen = now
        }
        return false
    }

    fileprivate func release(_ count: Int) {
        used.subtract(count, ordering: .relaxed)
    }
}

/// Bytes that were kept; they never change, and go back to the budget with their last holder.
package final class MediaBuffer: Sendable {
    private let bytes: [UInt8]
    private let budget: MediaBudget

    /// Copies bytes; nil when the budget does not allow it.
    package init?(copying source: RawSpan, budget: MediaBudget) {
        guard budget.reserve(source.byteCount) else { return nil }
        bytes = unsafe source.withUnsafeBytes { unsafe Array($0) }
        self.budget = budget
    }

    /// Takes an array over without a copy; nil when the budget does not allow it.
    package init?(_ source: [UInt8], budget: MediaBudget) {
        guard budget.reserve(source.count) else { return nil }
        bytes = source
        self.budget = budget
    }

    deinit {
        budget.release(bytes.count)
    }

    /// The number of bytes.
    package var byteCount: Int { bytes.count }

    /// Lends the bytes.
    package func withBytes<Value, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try bytes.withBytes(body)
    }

    /// Copies the bytes; costs as much memory again, outside the budget.
    package func copyBytes() -> [UInt8] { bytes }
}
