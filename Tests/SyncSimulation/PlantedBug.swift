/// A bug that can be planted into a simulated world, to prove that the promise it breaks is watched.
package enum PlantedBug: String, CaseIterable, Sendable {
    /// The box says that a shot is saved before its record is synchronised.
    case reportsBeforeSync
    /// After a power cut the box takes in the whole pages of a record that was torn.
    case takesTornRecords
    /// The library tells an offset before the bytes are durable.
    case tellsOffsetEarly
    /// The library publishes bytes without looking at their digest.
    case publishesUnread
    /// The box frees the oldest originals whether or not there is a receipt.
    case freesWithoutReceipt
    /// The box names the asset anew when a shot that failed is taken in again.
    case namesAgain
    /// The library writes the asset's row before its last resource is in place.
    case publishesRowFirst
    /// The library never collects uploads that nobody goes on with.
    case keepsAbandoned
    /// The box passes over every ninth change of the feed.
    case passesOverChanges
    /// The library drops a change whose stamp is older than what it shows.
    case dropsOlderStamps
    /// The library applies a change again that the network brought again.
    case admitsTwice
    /// The box goes on behind a page of the feed that came in part.
    case takesHalfPages
    /// The library does not compare histories and tickets.
    case trustsEveryCopy
    /// The library looks at rights when an asset is described, and not when it is committed.
    case judgesOnce
    /// The box does not look at its queue again after the library came back.
    case forgetsQueue
    /// A full box makes room by what was not saved.
    case dropsUnsaved
    /// The box never gives other stamps to changes whose stamps the library refused.
    case keepsWrongStamps

    /// The promise of `docs/invariants.md` that it breaks first.
    package var promise: Int {
        switch self {
        case .reportsBeforeSync, .takesTornRecords: 1
        case .tellsOffsetEarly: 2
        case .publishesUnread: 3
        case .freesWithoutReceipt: 4
        case .namesAgain: 5
        case .publishesRowFirst, .keepsAbandoned: 6
        case .passesOverChanges: 7
        case .dropsOlderStamps: 8
        case .admitsTwice: 9
        case .takesHalfPages: 10
        case .trustsEveryCopy: 11
        case .judgesOnce: 12
        case .forgetsQueue: 13
        case .dropsUnsaved: 14
        case .keepsWrongStamps: 15
        }
    }
}
