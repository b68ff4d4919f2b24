package import PhotoModel

/// Decides whether a limited device asks for a larger selection by itself: at most once a day.
///
/// An explicit command may ask at any time and does not go through here.
package struct ExpansionReminder: Hashable, Sendable {
    /// The minimum time between two reminders.
    package static let interval = Duration.seconds(86_400)

    /// Whether automatic reminders are off.
    package let isPrevented: Bool

    /// Takes the setting `library.preventAutomaticLimitedPrompt`; true by default.
    package init(isPrevented: Bool = true) {
        self.isPrevented = isPrevented
    }

    /// Whether to ask now: a day has passed since the device last asked by itself, if ever; a last time in the future
    /// (a wrong clock) counts as never.
    package func isDue(at status: AuthorizationStatus, last: WallTime?, now: WallTime) -> Bool {
        guard status == .limited, !isPrevented else { return false }
        guard let last, last <= now else { return true }
        return last.advanced(by: Self.interval) <= now
    }
}
