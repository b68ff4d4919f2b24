import Synchronization

/// Why a frame did not reach the ring.
package enum FrameDropReason: String, Hashable, Sendable, CaseIterable {
    /// The driver's sequence number jumped: the device or the driver dropped it.
    case deviceGap
    /// The driver reported that the samples may be damaged, or a program wrote something other than a whole picture.
    case damaged
    /// A JPEG whose beginning, image data or end is missing.
    case truncated
    /// A raw frame that could not be masked or compressed.
    case compressionFailed
    /// Recordings in progress use up the memory budget.
    case budgetExhausted
    /// Its timestamp is not later than the previous one.
    case timeReversed
    /// It arrived before exposure had settled.
    case warmingUp
}

/// What happened to one camera's frames since its stream began: each is either kept or counted under one reason.
package struct FrameCounts: Hashable, Sendable {
    /// Frames kept in the ring.
    package var kept = 0
    /// Frames dropped, by reason.
    package var dropped: [FrameDropReason: Int] = [:]
    /// Kept frames evicted early because the budget was full.
    package var evictedEarly = 0
    /// Kept frames that arrived more than ``lateness`` after they were taken.
    package var late = 0

    /// A frame that takes longer than this was held up by a busy bus or a busy box.
    package static let lateness = Duration.milliseconds(250)

    /// Nothing counted yet.
    package init() {}
}
