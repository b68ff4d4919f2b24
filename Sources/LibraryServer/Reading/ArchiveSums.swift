import PhotoModel
import Synchronization

/// What was found out about the files of archives: lengths of those that are made, and checksums.
///
/// All of it follows from the originals, so it is only remembered to spare a second reading; the oldest goes first.
final class ArchiveSums: Sendable {
    /// One file in one form.
    struct Key: Hashable, Sendable {
        let digest: ContentDigest
        let form: String
    }

    /// What is known of it.
    struct Sum: Sendable {
        /// Its length; nil while it is not known.
        var byteCount: Int64?
        /// The checksum of its bytes; nil while they were not read.
        var checksum: UInt32?
        /// Why it cannot be made.
        var refusal: String?
    }

    /// Files that are remembered; some ten megabytes.
    private static let maximumCount = 65_536

    private struct State {
        var sums: [Key: Sum] = [:]
        var order: [Key] = []
    }

    private let state = Mutex(State())

    /// What is known of a file.
    subscript(key: Key) -> Sum { state.withLock { $0.sums[key] ?? Sum() } }

    /// Takes note of something.
    func note(_ key: Key, _ change: (inout Sum) -> Void) {
        state.withLock { state in
            if state.sums[key] == nil {
                state.order.append(key)
                if state.order.count > Self.maximumCount {
                    // Half of them at once, so that forgetting costs little for each.
                    for old in state.order.prefix(Self.maximumCount / 2) { state.sums[old] = nil }
                    state.order.removeFirst(Self.maximumCount / 2)
                }
            }
            change(&state.sums[key, default: Sum()])
        }
    }
}
