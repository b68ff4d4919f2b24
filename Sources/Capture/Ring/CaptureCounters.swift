import Synchronization

/// Why a frame did not reach the ring.
package enum FrameDropReason: String, Hashable, Sendable, CaseIterable {
    /// The driver's sequence number jumped: the device or the driver dropped it.
    case deviceGap
    /// The driver said that the samples may be damaged, or a program wrote something that is no whole picture.
    case damaged
    /// A JPEG without beginning, image data or end.
    case truncated
    /// A raw frame that could not be masked or compressed.
    case compressionFailed
    /// The memory budget is taken by recordings under way.
    case budgetExhausted
    /// A timestamp that is not later than the one before.
    case timeReversed
    /// It came before exposure had settled.
    case warmingUp
}

/// What happened to the frames of one camera since its stream began; every frame is in exactly one number.
package struct FrameCounts: Hashable, Sendable {
    /// Frames that went into the ring.
    package var kept = 0
    /// Frames that did not, by reason.
    package var dropped: [FrameDropReason: Int] = [:]
    /// Frames that left the ring early because the budget was full; they are among the kept.
    package var evictedEarly = 0
    /// Frames that were in hand more than ``lateness`` after they were taken; they are among the kept.
    package var late = 0

    /// A frame that takes longer than this was held up by a busy bus or a busy box.
    package static let lateness = Duration.milliseconds(250)

    /// Nothing yet.
    package init() {}
}
