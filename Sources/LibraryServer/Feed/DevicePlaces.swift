import Hummingbird
import LibraryAPI
import PhotoModel
import Synchronization

/// Counts and caps each device's requests of one kind.
///
/// A waiting request costs little, but each change wakes all of them; one that reads a whole view keeps one of the
/// database's readers busy, and one that makes a file a thread, or the answer in memory.
final class DevicePlaces: Sendable {
    /// A taken place, returned by ``end()``, at the latest when the last reference is dropped.
    final class Place: Sendable {
        private let places: DevicePlaces
        private let device: DeviceID
        private let isTaken = Mutex(true)

        fileprivate init(_ device: DeviceID, in places: DevicePlaces) {
            self.device = device
            self.places = places
        }

        deinit { end() }

        func end() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { places.giveBack(device) }
        }
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

    /// Places for requests that list, count or follow what a device may see.
    static func listing() -> DevicePlaces {
        DevicePlaces(APILimits.listsPerDevice, of: "requests at once for lists, counts and changes")
    }

    /// Places for requests that take a turn of the writer each.
    static func changing() -> DevicePlaces {
        DevicePlaces(APILimits.changesPerDevice, of: "requests at once that change something")
    }

    /// Places for requests whose files are parsed, stripped, converted or packed.
    static func making() -> DevicePlaces {
        DevicePlaces(APILimits.madeFilesPerDevice, of: "requests at once for archives and stripped or converted files")
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

extension Response {
    /// The same response, which keeps a place until its body is sent or dropped: until then its bytes are in memory.
    func keeping(_ place: DevicePlaces.Place?) -> Response {
        guard let place else { return self }
        var response = self
        let body = body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            defer { place.end() }
            try await body.write(writer)
        }
        return response
    }
}
