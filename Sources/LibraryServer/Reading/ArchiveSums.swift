import PhotoModel
import Synchronization

/// A cache of archived files' checksums and of the lengths of generated ones.
///
/// Everything follows from the originals, so the cache only saves reading them again. The oldest entries are evicted
/// first.
final class ArchiveSums: Sendable {
    /// One file in one form.
    struct Key: Hashable, Sendable {
        let digest: ContentDigest
        let form: String
    }

    /// What is known about it.
    struct Sum: Sendable {
        /// Its length; nil if unknown.
        var byteCount: Int64?
        /// Its checksum; nil until it has been read.
        var checksum: UInt32?
        /// Why it cannot be made.
        var refusal: String?
    }

    /// Most files remembered, about ten megabytes.
    private static let maximumCount = 65_536

    private struct State {
        var sums: [Key: Sum] = [:]
        var order: [Key] = []
    }

    private let state = Mutex(State())

    /// What is known about a file.
    subscript(key: Key) -> Sum { state.withLock { $0.sums[key] ?? Sum() } }

    /// Updates what is known about a file.
    func note(_ key: Key, _ change: (inout Sum) -> Void) {
        state.withLock { state in
            if state.sums[key] == nil {
                state.order.append(key)
                if state.order.count > Self.maximumCount {
                    // Evicts half at once, which keeps the amortized cost low.
                    for old in state.order.prefix(Self.maximumCount / 2) { state.sums[old] = nil }
                    state.order.removeFirst(Self.maximumCount / 2)
                }
            }
            change(&state.sums[key, default: Sum()])
        }
    }
}
