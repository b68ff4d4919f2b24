import PhotoModel
import Synchronization

/// Where the box is: what a receiver told last, else what the settings say.
final class PositionSource: Sendable {
    private let fixed: Location?
    private let received = Mutex<Location?>(nil)

    /// A source with the place of the settings.
    init(fixed: Location?) {
        self.fixed = fixed
    }

    /// The place now; nil when it is not known.
    var location: Location? { received.withLock(\.self) ?? fixed }

    /// Takes a fix; nil when the receiver has lost it.
    func update(_ location: Location?) {
        received.withLock { $0 = location }
    }
}
