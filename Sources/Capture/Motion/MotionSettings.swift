/// What counts as motion.
package struct MotionSettings: Hashable, Sendable {
    /// How many pictures a second are looked at, 1 to 10.
    package var picturesPerSecond = 5.0
    /// How far a pixel must be from the background, 1 to 255; noise raises it.
    package var contrast = 25
    /// The part of the watched pixels that one thing in motion must cover for an event to begin, 0 to 1.
    package var beginningArea = 0.004
    /// The part below which an event is about to end; less than for beginning, so that events do not flutter.
    package var endingArea = 0.002
    /// How many pictures in a row must show motion for an event to begin.
    package var minimumPictureCount = 2
    /// How long it must be quiet for an event to end.
    package var quiet = Duration.seconds(2)
    /// The longest event; motion that goes on is then a new one.
    package var longestEvent = Duration.seconds(60)
    /// How long after its beginning an event's sharpest frame is chosen; the ring must reach back further.
    package var choice = Duration.milliseconds(600)
    /// The part of the pixels that only a change of light changes at once, 0 to 1.
    package var lightingArea = 0.8
    /// How long a thing must stand still to become background.
    package var acceptance = Duration.seconds(10)
    /// Where motion counts; everywhere when there are none.
    package var zones: [MotionZone] = []
    /// Where motion does not count, even in a zone.
    package var masks: [MotionZone] = []

    /// What suits a room or a garden.
    package init() {}
}
