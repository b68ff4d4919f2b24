/// Whether a limited device reminds by itself that its selection can be widened: at most once in a process's life.
///
/// An explicit command asks at any time and does not go through here.
package struct ExpansionReminder: Hashable, Sendable {
    private var mayRemind: Bool

    /// Starts with the setting `library.preventAutomaticLimitedPrompt`, which is true unless set otherwise.
    package init(isPrevented: Bool = true) {
        mayRemind = !isPrevented
    }

    /// Whether to remind now.
    package mutating func remind(at status: AuthorizationStatus) -> Bool {
        guard status == .limited, mayRemind else { return false }
        mayRemind = false
        return true
    }
}
