package import PhotoModel

/// What a motion detector has to tell, in this order: an event begins, its best frame is chosen, it ends.
package enum MotionEvent: Hashable, Sendable {
    /// Something moves.
    case began(MotionSighting)
    /// The sharpest frame of the event so far, which a shot may ask for while the ring holds it.
    case chosen(MotionSighting)
    /// Nothing has moved for a while.
    case ended(MotionSummary)
    /// The light changed; what moved at that moment cannot be told.
    case lightingChanged(MonotonicTime)
}

/// One picture with motion in it.
package struct MotionSighting: Hashable, Sendable {
    /// The frame's time; of the first frame of the event when it begins.
    package var time: MonotonicTime
    /// The part of the watched pixels that the largest thing in motion covers, 0 to 1.
    package var share: Double
    /// The rectangle around it, in pixels of the small picture.
    package var area: PixelArea
    /// How sharp the picture is there; comparable within an event.
    package var sharpness: Double
    /// The size of the small picture.
    package var pictureSize: PixelSize
}

/// An event that is over.
package struct MotionSummary: Hashable, Sendable {
    /// The first frame with motion.
    package var start: MonotonicTime
    /// The last frame with motion.
    package var end: MonotonicTime
    /// The largest part of the watched pixels in motion, 0 to 1.
    package var largestShare: Double
}
