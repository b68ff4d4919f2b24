import PhotoModel

/// The fewest steps between two lists without repetitions, in the terms of a batch update.
///
/// The assets that stayed in order are a longest ascending subsequence of the old indexes, found in O(n log n).
struct IndexDifference: Hashable, Sendable {
    private(set) var removed: [Int] = []
    private(set) var inserted: [Int] = []
    private(set) var changed: [Int] = []
    private(set) var moves: [FetchResultChangeDetails.Move] = []

    /// No difference.
    init() {}

    /// Compares two lists.
    ///
    /// - Parameters:
    ///   - before: the earlier list.
    ///   - after: the current list.
    ///   - updated: assets that changed.
    init(from before: [AssetID], to after: [AssetID], updated: Set<AssetID>) {
        guard before != after else {
            changed = after.indices.filter { updated.contains(after[$0]) }
            return
        }
        // A list with repetitions has no smallest difference, but must not end the program.
        let oldPlaces = Dictionary(zip(before, before.indices)) { first, _ in first }
        let kept = Set(after)
        removed = before.indices.filter { !kept.contains(before[$0]) }
        var stayed: [(old: Int, new: Int)] = []
        for (new, asset) in after.enumerated() {
            guard let old = oldPlaces[asset] else {
                inserted.append(new)
                continue
            }
            stayed.append((old, new))
            if updated.contains(asset) { changed.append(new) }
        }
        let inOrder = Self.longestAscendingRun(stayed.map(\.old))
        moves = stayed.indices.filter { !inOrder.contains($0) }.map { .init(from: stayed[$0].old, to: stayed[$0].new) }
    }

    /// Whether there is no difference.
    var isEmpty: Bool { self == IndexDifference() }

    /// The indexes of a longest ascending subsequence of different numbers.
    private static func longestAscendingRun(_ numbers: [Int]) -> Set<Int> {
        /// For each length, the index of the smallest number that a run of that length ends with.
        var ends: [Int] = []
        var previous = [Int?](repeating: nil, count: numbers.count)
        for (index, number) in numbers.enumerated() {
            var low = 0
            var high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: Set<Int> = []
        var next = ends.last
        while let index = next {
            run.insert(index)
            next = previous[index]
        }
        return run
    }
}
