import PhotoModel

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
    package var zones: [PicturePolygon] = []
    /// Where motion does not count, even inside a zone.
    package var masks: [PicturePolygon] = []

    /// Settings suitable for a room or a garden.
    package init() {}
}

extension MotionSettings {
    /// The watched pixels of a picture: those in a zone, if there are zones, and in no mask.
    func watchedPixels(_ size: PixelSize) -> [Bool] {
        guard !zones.isEmpty || !masks.isEmpty else {
            return [Bool](repeating: true, count: size.width * size.height)
        }
        var watched: [Bool] = []
        watched.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            let y = (Double(row) + 0.5) / Double(size.height)
            for column in 0..<size.width {
                let x = (Double(column) + 0.5) / Double(size.width)
                let isInZone = zones.isEmpty || zones.contains { $0.contains(x: x, y: y) }
                watched.append(isInZone && !masks.contains { $0.contains(x: x, y: y) })
            }
        }
        return watched
    }
}
