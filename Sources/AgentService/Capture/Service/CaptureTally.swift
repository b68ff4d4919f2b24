import AgentStore
import Capture
import PhotoLibrary
import Synchronization

/// What a profile's or a camera's shots came to; every firing is counted once, what failed with its reason.
final class CaptureTally: Sendable {
    /// The numbers.
    struct Counts: Hashable, Sendable, Codable {
        /// Shots that are durable in their place.
        var taken = 0
        /// Live Photos among them.
        var livePhotos = 0
        /// Firings that gave no shot, by reason.
        var failed: [String: Int] = [:]
        /// Moments of a schedule that went by unused since the box was late.
        var skippedMoments: Int64 = 0
        /// The last shot.
        var lastShot: CapturedShot?
        /// Why the last firing failed, in words; nil when it did not.
        var lastProblem: String?
    }

    private let state = Mutex(Counts())

    /// The numbers now.
    var counts: Counts { state.withLock(\.self) }

    /// Counts a shot.
    func take(_ shot: CapturedShot) {
        state.withLock { counts in
            counts.taken += 1
            if shot.isLivePhoto { counts.livePhotos += 1 }
            counts.lastShot = shot
            counts.lastProblem = nil
        }
    }

    /// Counts a firing that gave nothing.
    func fail(_ error: any Error) {
        let reason =
            switch error {
            case let error as CaptureError: error.code.rawValue
            case let error as AgentStoreError where error.code == .full: "full"
            case let error as AgentStoreError where error.code == .retiring: "retiring"
            case is AgentStoreError: "storageFailed"
            case is CancellationError: "cancelled"
            default: "failed"
            }
        state.withLock { counts in
            counts.failed[reason, default: 0] += 1
            counts.lastProblem = "\(error)"
        }
    }

    /// Counts moments that went by.
    func skip(_ count: Int64) {
        state.withLock { $0.skippedMoments += count }
    }
}
