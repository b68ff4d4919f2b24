import PhotoModel

/// Detects motion in small grey pictures.
///
/// Pictures go in with their times, events come out; there is no clock, camera or thread here. The methods are proven
/// ones: a learned background (Frigate), objects that stand still for ten seconds become part of it (motion), a change
/// of nearly everything at once is the lighting, several pictures must agree, and ending needs less motion than
/// starting.
package struct MotionDetector {
    /// A longer gap between two pictures invalidates what was learned.
    static let longestGap = Duration.seconds(30)

    private let settings: MotionSettings
    private var background: BackgroundModel?
    private var machine: MotionEventMachine
    private var lastTime: MonotonicTime?

    /// Creates a detector that has learned nothing yet.
    package init(_ settings: MotionSettings) {
        self.settings = settings
        machine = MotionEventMachine(settings)
    }

    /// Processes the next picture, and returns the resulting events in order.
    ///
    /// A different size restarts the detector; a picture not later than the last is ignored.
    package mutating func observe(_ picture: GreyPicture, at time: MonotonicTime) -> [MotionEvent] {
        let elapsed = lastTime.map { time.duration(since: $0) } ?? .zero
        if lastTime != nil, elapsed <= .zero { return [] }
        lastTime = time
        guard var model = background.take(), model.size == picture.size, elapsed <= Self.longestGap else {
            background = BackgroundModel(picture, settings)
            return machine.interrupt()
        }
        defer { background = model }
        switch model.judge(picture, after: elapsed) {
        case .calibrating: return machine.interrupt()
        case .lighting: return machine.interrupt() + [.lightingChanged(time)]
        case .changed(let changed):
            return machine.handle(sighting(changed, picture, model.watchedCount, time), at: time)
        }
    }

    /// Ends the current event, for example when the camera stops.
    package mutating func finish() -> [MotionEvent] { machine.interrupt() }

    private func sighting(
        _ changed: [Bool],
        _ picture: GreyPicture,
        _ watchedCount: Int,
        _ time: MonotonicTime
    ) -> MotionSighting? {
        guard let region = ChangedRegion.largest(in: changed, size: picture.size) else { return nil }
        return MotionSighting(
            time: time,
            share: Double(region.pixelCount) / Double(max(1, watchedCount)),
            area: region.area,
            sharpness: picture.sharpness(in: region.area)
        )
    }
}
