/// How a list changed (PhotoKit's `PHFetchResultChangeDetails`).
///
/// The indexes are those of a batch update: remove ``removedIndexes`` and the moves' `from` from the list before, then
/// insert ``insertedIndexes`` and the moves' `to` in ascending order; the result is the list after. Finally reload
/// ``changedIndexes``.
public struct FetchResultChangeDetails: Sendable {
    /// One asset whose position changed among those that stayed.
    public struct Move: Hashable, Sendable {
        /// Its index in the list before.
        public let from: Int
        /// Its index in the list after.
        public let to: Int
    }

    /// The earlier list.
    public let fetchResultBeforeChanges: AssetFetchResult
    /// The current list.
    public let fetchResultAfterChanges: AssetFetchResult
    /// Whether the differences are known; false if more has changed than the box remembers: reload the whole list.
    public let hasIncrementalChanges: Bool
    let difference: IndexDifference

    /// Indexes of removed assets in the list before, ascending.
    public var removedIndexes: [Int] { difference.removed }
    /// Indexes of inserted assets in the list after, ascending.
    public var insertedIndexes: [Int] { difference.inserted }
    /// Indexes of changed assets that stayed, in the list after, ascending.
    public var changedIndexes: [Int] { difference.changed }
    /// The fewest possible moves among the assets that stayed, by index in the list after, ascending.
    public var moves: [Move] { difference.moves }
    /// Whether anything moved.
    public var hasMoves: Bool { !difference.moves.isEmpty }
}
