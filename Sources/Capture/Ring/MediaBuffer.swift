import MediaFormats
import Synchronization

/// The memory limit of kept media, counted over all holders.
package final class MediaBudget: Sendable {
    private let limit: Atomic<Int>
    private let used = Atomic<Int>(0)

    /// A budget of this many bytes.
    package init(limit: Int) {
        self.limit = Atomic(limit)
    }

    /// Changes the limit; existing buffers are kept.
    package func setLimit(_ limit: Int) {
        self.limit.store(limit, ordering: .relaxed)
    }

    /// The number of bytes currently held.
    package var usedByteCount: Int { used.load(ordering: .relaxed) }

    /// Reserves bytes; false, and nothing reserved, if too few are left.
    fileprivate func reserve(_ count: Int) -> Bool {
        var seen = used.load(ordering: .relaxed)
        while seen + count <= limit.load(ordering: .relaxed) {
            let (exchanged, now) = used.weakCompareExchange(expected: seen, desired: seen + count, ordering: .relaxed)
            if exchanged { return true }
            seen = now
        }
        return false
    }

    fileprivate func release(_ count: Int) {
        used.subtract(count, ordering: .relaxed)
    }
}

/// Kept, immutable bytes, returned to the budget with their last reference.
package final class MediaBuffer: Sendable {
    /// Makes the readers' bytes from the kept ones.
    package typealias Preparation = @Sendable (RawSpan) -> [UInt8]

    private struct Content {
        var bytes: [UInt8]
        var preparation: Preparation?
    }

    private let content: Mutex<Content>
    private let budget: MediaBudget?

    /// The number of bytes kept.
    package let byteCount: Int

    /// Copies bytes, which count against the budget; nil if it does not allow it.
    ///
    /// A preparation replaces the bytes before they are first read, on the reader's thread.
    package init?(copying source: RawSpan, budget: MediaBudget, preparation: Preparation? = nil) {
        guard budget.reserve(source.byteCount) else { return nil }
        byteCount = source.byteCount
        content = Mutex(Content(bytes: unsafe source.withUnsafeBytes { unsafe Array($0) }, preparation: preparation))
        self.budget = budget
    }

    /// Takes over an array without copying; nil if the budget does not allow it.
    package init?(_ source: [UInt8], budget: MediaBudget) {
        guard budget.reserve(source.count) else { return nil }
        byteCount = source.count
        content = Mutex(Content(bytes: source))
        self.budget = budget
    }

    /// Makes the bytes from an empty input when they are first read; they do not count against a budget.
    package init(preparation: @escaping Preparation) {
        byteCount = 0
        content = Mutex(Content(bytes: [], preparation: preparation))
        budget = nil
    }

    deinit {
        budget?.release(byteCount)
    }

    /// Calls the body with the bytes.
    package func withBytes<Value, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Value) throws(Failure) -> Value {
        try copyBytes().withBytes(body)
    }

    /// The bytes as an array, which shares their memory.
    package func copyBytes() -> [UInt8] {
        content.withLock { content in
            if let preparation = content.preparation.take() { content.bytes = content.bytes.withBytes(preparation) }
            return content.bytes
        }
    }
}
