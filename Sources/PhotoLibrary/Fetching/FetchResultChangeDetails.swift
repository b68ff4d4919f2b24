/// How a list changed (PhotoKit's `PHFetchResultChangeDetails`).
///
/// The indexes are those of a batch update: take ``removedIndexes`` and the moves' `from` out of the list before, put
/// ``insertedIndexes`` and the moves' `to` in ascending order into what is left, and that is the list after. Then show
/// ``changedIndexes`` to update.
public struct FetchResultChangeDetails: Sendable {
    /// One asset that is at another place among those that stayed.
    public struct Move: Hashable, Sendable {
        /// Its index in the list before.
        public let from: Int
        /// Its index in the list after.
        public let to: Int
    }

    /// The list that was asked about.
    public let fetchResultBeforeChanges: AssetFetchResult
    /// The current list.
    public let fetchResultAfterChanges: AssetFetchResult
    /// Whether the differences are known; false where more has changed than the box remembers: show the new list as a whole.
    public let hasIncrementalChanges: Bool
    private let difference: IndexDifference

    init(
        fetchResultBeforeChanges: AssetFetchResult,
        fetchResultAfterChanges: AssetFetchResult,
        hasIncrementalChanges: Bool,
        difference: IndexDifference
    ) {
        self.fetchResultBeforeChanges = fetchResultBeforeChanges
        self.fetchResultAfterChanges = fetchResultAfterChanges
        self.hasIncrementalChanges = hasIncrementalChanges
        self.difference = difference
    }

    /// What left the list, by index in the list before, ascending.
    public var removedIndexes: [Int] { difference.removed }
    /// What came into the list, by index in the list after, ascending.
    public var insertedIndexes: [Int] { difference.inserted }
    /// What stayed in the list and is other than it was, by index in the list after, ascending.
    public var changedIndexes: [Int] { difference.changed }
    /// What has another place among the assets that stayed, by index in the list after, ascending; as few as possible.
    public var moves: [Move] { difference.moves }
    /// Whether anything moved.
    public var hasMoves: Bool { !difference.moves.isEmpty }
}
