import LibraryAPI
import PhotoModel
import Synchronization

/// How many requests of each device wait for changes or hold a stream open, and a cap on them.
///
/// A waiting request costs little, but each change wakes all of them.
final class WaitingPlaces: Sendable {
    /// A place that is taken; it is given back when nobody holds it any more.
    final class Place: Sendable {
        private let places: WaitingPlaces
        private let device: DeviceID

        fileprivate init(_ device: DeviceID, in places: WaitingPlaces) {
            self.device = device
            self.places = places
        }

        deinit { places.giveBack(device) }
    }

    private let taken = Mutex<[DeviceID: Int]>([:])

    /// Takes a place for a device; operators, who have none, are not counted.
    ///
    /// - Throws: `slow_down` where the device has as many as it may have.
    func take(for device: DeviceID?) throws -> Place? {
        guard let device else { return nil }
        let isFree = taken.withLock { taken in
            guard taken[device, default: 0] < APILimits.waitsPerDevice else { return false }
            taken[device, default: 0] += 1
            return true
        }
        guard isFree else {
            throw ProblemDetails(
                .slowDown,
                "A device waits with at most \(APILimits.waitsPerDevice) requests at once: end one of them first.",
                retryAfterSeconds: 5
            )
        }
        return Place(device, in: self)
    }

    private func giveBack(_ device: DeviceID) {
        taken.withLock { taken in
            taken[device, default: 1] -= 1
            if taken[device] == 0 { taken[device] = nil }
        }
    }
}
