import AgentStore
import Capture
package import PhotoLibrary
import Synchronization

/// Counts a profile's or camera's shots; every firing is counted once, failures with their reason.
package final class CaptureTally: Sendable {
    /// The numbers.
    package struct Counts: Hashable, Sendable, Codable {
        /// Durably filed shots.
        package var taken = 0
        /// Live Photos among them.
        package var livePhotos = 0
        /// Failed firings, by reason.
        package var failed: [String: Int] = [:]
        /// Scheduled moments skipped because the box was late.
        package var skippedMoments: Int64 = 0
        /// The last shot.
        package var lastShot: CapturedShot?
        /// Why the last firing failed, in words; nil if it did not.
        package var lastProblem: String?
    }

    private let state = Mutex(Counts())

    /// Nothing counted yet.
    package init() {}

    /// The current counts.
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

    /// Counts a failed firing.
    func fail(_ error: any Error) {
        let reason =
            switch error {
            case let error as CaptureError: error.code.rawValue
            case let error as AgentStoreError where error.code == .full: "full"
            case let error as AgentStoreError where error.code == .draining: "retiring"
            case is AgentStoreError: "storageFailed"
            case is CancellationError: "cancelled"
            default: "failed"
            }
        state.withLock { counts in
            counts.failed[reason, default: 0] += 1
            counts.lastProblem = "\(error)"
        }
    }

    /// Counts skipped moments.
    func skip(_ count: Int64) {
        state.withLock { $0.skippedMoments += count }
    }
}
