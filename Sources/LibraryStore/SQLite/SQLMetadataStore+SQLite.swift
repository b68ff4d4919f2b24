package import FoundationEssentials
package import LibraryAPI
package import Persistence

extension SQLMetadataStore {
    /// Opens the rows of a library in SQLite.
    ///
    /// Blocks.
    ///
    /// - Parameters:
    ///   - layout: the library's layout.
    ///   - library: the library named by the marker.
    ///   - isNew: whether to create the library's row.
    ///   - limits: each device's limits.
    ///   - timeZone: the time zone assumed for captures without their own UTC offset; nil leaves their days unchanged,
    ///     for callers that change no assets.
    ///   - effects: time, randomness and key.
    ///   - blocking: runs calls that others wait for.
    /// - Throws: `foreign` if the database is another library's, `notFound` if it does not exist.
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
