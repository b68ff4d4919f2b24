package import LibraryAPI
import PhotoModel

/// Identifies one move or restore of a library, however many attempts it takes.
package struct ArrivalID: UniqueIdentifier {
    /// The 128 bits.
    package let rawValue: UInt128
    package init(rawValue: UInt128) { self.rawValue = rawValue }
}

/// The mark that a moved library leaves at its old place.
package struct Departure: Hashable, Sendable {
    /// The library.
    package let library: LibraryID
    /// The move.
    package let arrival: ArrivalID
    /// The new place, in words for an administrator, at most 1,000 characters in one line.
    package let place: String

    private static let placeLength = 1000

    init(_ library: LibraryID, _ arrival: ArrivalID, to place: String) {
        self.library = library
        self.arrival = arrival
        self.place = String(place.split(whereSeparator: \.isWhitespace).joined(separator: " ").prefix(Self.placeLength))
    }

    /// Parses a marker's line; nil for any other line.
    init?(_ bytes: [UInt8]) {
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first ?? ""
        let words = line.split(separator: " ", maxSplits: 4)
        guard words.count == 5, words[0] == "tintype-library", words[1] == "moved",
            let library = LibraryID(String(words[2])), let arrival = ArrivalID(String(words[3]))
        else { return nil }
        self.init(library, arrival, to: String(words[4]))
    }

    /// The marker's line, without a line feed.
    var line: String { "tintype-library moved \(library) \(arrival) \(place)" }
}
