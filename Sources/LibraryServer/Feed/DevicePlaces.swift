import Hummingbird
import LibraryAPI
import PhotoModel
import Synchronization

/// Counts and caps what each device's requests keep busy at once.
///
/// A waiting request costs little, but each change wakes all of them; one that reads a whole view keeps one of the
/// database's readers busy, one that sends a file a part of it in memory, and one that makes a file a thread, or the answer
/// in memory.
final class DevicePlaces: Sendable {
    /// What a request keeps busy.
    enum Kind: Hashable, Sendable {
        /// A request that waits, or a stream.
        case wait
        /// A request that reads a whole view.
        case wholeRead
        /// A request that lists, counts or follows what a device may see.
        case list
        /// A request that takes a turn of the library's writer.
        case change
        /// A request that sends files, of which a part is in memory.
        case send
        /// A request whose files are parsed, stripped, converted or packed.
        case file

        /// The most requests of one device, with what they are called.
        fileprivate var limit: (count: Int, words: String) {
            switch self {
            case .wait: (APILimits.waitsPerDevice, "waiting requests")
            case .wholeRead: (APILimits.wholeReadsPerDevice, "requests at once that read its whole view")
            case .list: (APILimits.listsPerDevice, "requests at once for lists, counts and changes")
            case .change: (APILimits.changesPerDevice, "requests at once that change something")
            case .send: (APILimits.sendsPerDevice, "requests at once that send files")
            case .file:
                (APILimits.madeFilesPerDevice, "requests at once for archives and stripped or converted files")
            }
        }
    }

    /// A taken place, returned by ``end()``, at the latest when the last reference is dropped.
    final class Place: Sendable {
        private let places: DevicePlaces
        private let key: Key
        private let isTaken = Mutex(true)

        fileprivate init(_ key: Key, in places: DevicePlaces) {
            self.key = key
            self.places = places
        }

        deinit { end() }

        func end() {
            let wasTaken = isTaken.withLock { isTaken in
                defer { isTaken = false }
                return isTaken
            }
            if wasTaken { places.giveBack(key) }
        }
    }

    fileprivate struct Key: Hashable, Sendable {
        let kind: Kind
        let device: DeviceID
    }

    private let taken = Mutex<[Key: Int]>([:])

    /// The number of places of a kind that devices have taken.
    func count(of kind: Kind) -> Int {
        taken.withLock { $0.reduce(0) { $1.key.kind == kind ? $0 + $1.value : $0 } }
    }

    /// Takes a place for a device; operators are not counted.
    ///
    /// - Throws: `slow_down` if the device has used up its places.
    func take(_ kind: Kind, for device: DeviceID?) throws -> Place? {
        guard let device else { return nil }
        let key = Key(kind: kind, device: device)
        let limit = kind.limit
        let isFree = taken.withLock { taken in
            guard taken[key, default: 0] < limit.count else { return false }
            taken[key, default: 0] += 1
            return true
        }
        guard isFree else {
            throw ProblemDetails(
                .slowDown,
                "A device may have at most \(limit.count) \(limit.words): end one of them first.",
                retryAfterSeconds: 5
            )
        }
        return Place(key, in: self)
    }

    private func giveBack(_ key: Key) {
        taken.withLock { taken in
            taken[key, default: 1] -= 1
            if taken[key] == 0 { taken[key] = nil }
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
