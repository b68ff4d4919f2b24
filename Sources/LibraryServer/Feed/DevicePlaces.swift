import LibraryAPI
import PhotoModel
import Synchronization

/// Counts and caps each device's requests of one kind.
///
/// A waiting request costs little, but each change wakes all of them; one that reads a whole view keeps one of the
/// database's readers busy.
final class DevicePlaces: Sendable {
    /// A taken place, returned when the last reference is dropped.
    final class Place: Sendable {
        private let places: DevicePlaces
        private let device: DeviceID

        fileprivate init(_ device: DeviceID, in places: DevicePlaces) {
            self.device = device
            self.places = places
        }

        deinit { places.giveBack(device) }
    }

    private let maximumCount: Int
    private let refusal: String
    private let taken = Mutex<[DeviceID: Int]>([:])

    private init(_ maximumCount: Int, of what: String) {
        self.maximumCount = maximumCount
        refusal = "A device may have at most \(maximumCount) \(what): end one of them first."
    }

    /// Places for requests that wait, and streams.
    static func waiting() -> DevicePlaces { DevicePlaces(APILimits.waitsPerDevice, of: "waiting requests") }

    /// Places for requests that read a whole view.
    static func reading() -> DevicePlaces {
        DevicePlaces(APILimits.wholeReadsPerDevice, of: "requests at once that read its whole view")
    }

    /// The number of places that devices have taken.
    var count: Int { taken.withLock { $0.values.reduce(0, +) } }

    /// Takes a place for a device; operators are not counted.
    ///
    /// - Throws: `slow_down` if the device has used up its places.
    func take(for device: DeviceID?) throws -> Place? {
        guard let device else { return nil }
        let isFree = taken.withLock { taken in
            guard taken[device, default: 0] < maximumCount else { return false }
            taken[device, default: 0] += 1
            return true
        }
        guard isFree else {
            throw ProblemDetails(.slowDown, refusal, retryAfterSeconds: 5)
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
