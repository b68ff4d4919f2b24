package import LibraryAPI

extension LibraryStore {
    /// Begins a new history, after the rows were set back to an earlier time.
    ///
    /// - Returns: its name.
    /// - Throws: what the rows say.
    package func beginEpoch() async throws -> LibraryEpoch {
        let epoch = LibraryEpoch(rawValue: effects.randomBits())
        try await metadata.beginEpoch(epoch)
        return epoch
    }
}
