package import LibraryAPI

extension LibraryStore {
    /// Begins a new history, after the rows were reset to an earlier time.
    ///
    /// - Returns: the new epoch.
    /// - Throws: the rows' error.
    package func beginEpoch() async throws -> LibraryEpoch {
        let epoch = LibraryEpoch(rawValue: effects.randomBits())
        try await metadata.beginEpoch(epoch)
        return epoch
    }
}
