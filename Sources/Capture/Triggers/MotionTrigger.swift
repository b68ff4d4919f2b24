/// Fires when something moves in the picture, at the sharpest frame of the event's beginning.
package struct MotionTrigger: TriggerSource {
    /// The trigger it reports.
    package let trigger = Trigger(.motion)
    private let monitor: MotionMonitor

    package init(_ monitor: MotionMonitor) {
        self.monitor = monitor
    }

    /// Fires once per event.
    package func run(_ fire: @escaping @Sendable (TriggerEvent) -> Void) async throws {
        for try await event in monitor {
            guard case .chosen(let sighting) = event else { continue }
            fire(TriggerEvent(trigger, at: sighting.time))
        }
    }
}
