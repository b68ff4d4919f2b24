import LibraryAPI
import PhotoModel
import Synchronization

/// Counts and caps each device's waiting requests and open streams.
///
/// A waiting request costs little, but each change wakes all of them.
final class WaitingPlaces: Sendable {
    /// A taken place, returned when the last reference is dropped.
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

    /// The number of devices' waiting requests and open streams.
    var count: Int { taken.withLock { $0.values.reduce(0, +) } }

    /// Takes a place for a device; operators are not counted.
    ///
    /// - Throws: `slow_down` if the device has used up its places.
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
                "A device may have at most \(APILimits.waitsPerDevice) waiting requests: end one of them first.",
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
