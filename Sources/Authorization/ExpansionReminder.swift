package import PhotoModel

/// Whether a limited device asks by itself for more to be selected: at most once a day.
///
/// An explicit command asks at any time and does not go through here.
package struct ExpansionReminder: Hashable, Sendable {
    /// The least time between two reminders: a day.
    package static let interval = Duration.seconds(86_400)

    /// Whether a device never asks by itself.
    package let isPrevented: Bool

    /// Starts with the setting `library.preventAutomaticLimitedPrompt`, which is true unless set otherwise.
    package init(isPrevented: Bool = true) {
        self.isPrevented = isPrevented
    }

    /// Whether to ask now.
    ///
    /// - Parameters:
    ///   - status: what the device may read.
    ///   - last: when it asked by itself before; nil for never.
    ///   - now: the library's time.
    /// - Returns: whether a day has passed; a last time that lies ahead, by a clock that was wrong, counts as never.
    package func isDue(at status: AuthorizationStatus, last: WallTime?, now: WallTime) -> Bool {
        guard status == .limited, !isPrevented else { return false }
        guard let last, last <= now else { return true }
        return last.advanced(by: Self.interval) <= now
    }
}
