/// The parameters of motion detection.
package struct MotionSettings: Hashable, Sendable {
    /// Pictures examined per second, 1 to 10.
    package var picturesPerSecond = 5.0
    /// How far a pixel must differ from the background, 1 to 255; noise raises it.
    package var contrast = 25
    /// The fraction of watched pixels that one moving object must cover to begin an event, 0 to 1.
    package var beginningArea = 0.004
    /// The fraction below which an event is about to end; lower than for beginning, so that events do not flutter.
    package var endingArea = 0.002
    /// How many consecutive pictures must show motion to begin an event.
    package var minimumPictureCount = 2
    /// How long it must be quiet to end an event.
    package var quiet = Duration.seconds(2)
    /// The longest event; continuing motion then starts a new one.
    package var longestEvent = Duration.seconds(60)
    /// How long after its beginning an event's sharpest frame is chosen; the ring must reach back further.
    package var choice = Duration.milliseconds(600)
    /// The fraction of pixels that only a lighting change alters at once, 0 to 1.
    package var lightingArea = 0.8
    /// How long an object must stand still to become background.
    package var acceptance = Duration.seconds(10)
    /// Where motion counts; everywhere if empty.
    package var zones: [MotionZone] = []
    /// Where motion does not count, even inside a zone.
    package var masks: [MotionZone] = []

    /// Settings suitable for a room or a garden.
    package init() {}
}
