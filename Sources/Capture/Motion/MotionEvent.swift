/// An event of a motion detector, in this order: motion begins, its best frame is chosen, it ends.
package enum MotionEvent: Hashable, Sendable {
    /// Something moves.
    case began(MotionSighting)
    /// The sharpest frame so far, which a shot can use while the ring holds it.
    case chosen(MotionSighting)
    /// Nothing has moved for a while.
    case ended(MotionSummary)
    /// The lighting changed; motion at that moment cannot be determined.
    case lightingChanged(MonotonicTime)
}

/// One picture with motion in it.
package struct MotionSighting: Hashable, Sendable {
    /// The frame's time; when the event begins, its first frame's.
    package var time: MonotonicTime
    /// The fraction of watched pixels covered by the largest moving object, 0 to 1.
    package var share: Double
    /// The rectangle around it, in pixels of the small picture.
    package var area: PixelArea
    /// The picture's sharpness there; comparable within an event.
    package var sharpness: Double
}

/// A finished event.
package struct MotionSummary: Hashable, Sendable {
    /// The first frame with motion.
    package var start: MonotonicTime
    /// The last frame with motion.
    package var end: MonotonicTime
    /// The largest fraction of watched pixels in motion, 0 to 1.
    package var largestShare: Double
}
