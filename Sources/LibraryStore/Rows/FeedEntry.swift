import FoundationEssentials
import LibraryAPI

/// What a feed says of an entity.
struct FeedEntry {
    let entity: EntityReference
    private(set) var kind: EntityChange.Kind
    let state: Data?
    /// The last number at which it came, went, or changed while in the view, up to the end of its page.
    private(set) var number: Int64
    /// Where it stands in the feed: at its number, and also where it came before that.
    let place: Int64

    /// Tells what happened to an entity from whether it was in the view at the position, and whether it is now.
    init(_ entity: EntityReference, wasSeen: Bool, isSeen: Bool, state: Data?, number: Int64, place: Int64? = nil) {
        self.entity = entity
        kind = !isSeen ? .removed : wasSeen ? .updated : .inserted
        (self.state, self.number, self.place) = (state, number, place ?? number)
    }

    /// One that is in the view.
    init(_ row: SQLRow) throws {
        self.init(
            try EntityReference(row),
            wasSeen: try row["was_seen"],
            isSeen: true,
            state: try row["state"],
            number: try row["number"],
            place: try row["place"]
        )
    }

    /// The same on a page that ends with a number and also has an earlier entry of the entity, which may have left.
    func `as`(of end: Int64, following earlier: FeedEntry?) -> FeedEntry {
        var entry = self
        if number > end { entry.number = place }
        if let earlier, earlier.kind != .inserted { entry.kind = .updated }
        return entry
    }

    /// The order of a page.
    func isBefore(_ other: FeedEntry) -> Bool {
        let (one, two) = ((number, entity.kind), (other.number, other.entity.kind))
        guard one == two else { return one < two }
        guard entity.first == other.entity.first else {
            return entity.first.lexicographicallyPrecedes(other.entity.first)
        }
        return entity.second.lexicographicallyPrecedes(other.entity.second)
    }
}
