package import PhotoModel
import Synchronization

/// The box's position: the receiver's latest, else the configured one.
package final class PositionSource: Sendable {
    private let fixed: Location?
    private let received = Mutex<Location?>(nil)

    /// A source with the configured location.
    package init(fixed: Location?) {
        self.fixed = fixed
    }

    /// The current location; nil if unknown.
    var location: Location? { received.withLock(\.self) ?? fixed }

    /// Updates the fix; nil if the receiver lost it.
    func update(_ location: Location?) {
        received.withLock { $0 = location }
    }
}
