/// Fires when something moves in the picture, at the sharpest frame of its beginning.
package struct MotionTrigger: TriggerSource {
    /// What it fires as.
    package let trigger = Trigger(.motion)
    private let monitor: MotionMonitor

    /// A trigger on what a monitor sees.
    package init(_ monitor: MotionMonitor) {
        self.monitor = monitor
    }

    /// Fires once an event.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        for try await event in monitor {
            guard case .chosen(let sighting) = event else { continue }
            fire(TriggerEvent(trigger, at: sighting.time))
        }
    }
}
