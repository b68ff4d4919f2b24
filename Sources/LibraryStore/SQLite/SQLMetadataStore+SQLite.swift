package import FoundationEssentials
package import LibraryAPI
package import Persistence

extension SQLMetadataStore {
    /// Opens the rows of a library in SQLite.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - layout: where the library is.
    ///   - library: the library that the marker names.
    ///   - isNew: whether the row that names the library is to be made.
    ///   - limits: what one device may have.
    ///   - timeZone: where captures count as taken whose own offset to UTC is unknown; nil leaves their days as they are, and
    ///     is for callers that change no assets.
    ///   - effects: time, randomness and key.
    ///   - blocking: where calls that others wait for are run.
    /// - Throws: `foreign` if the database is another library's, `notFound` if it is not there.
    package init(
        _ layout: LibraryLayout,
        library: LibraryID,
        isNew: Bool,
        limits: StoreLimits = StoreLimits(),
        timeZone: TimeZone? = .gmt,
        effects: StoreEffects,
        blocking: BlockingPool
    ) throws {
        try self.init(
            over: SQLiteRowStore(layout, isNew: isNew, timeZone: timeZone ?? .gmt, blocking: blocking),
            library: library,
            isNew: isNew,
            limits: limits,
            timeZone: timeZone,
            effects: effects,
            blocking: blocking
        )
    }
}
