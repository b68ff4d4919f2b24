import FoundationEssentials
import LibraryAPI
import Persistence

@testable import LibraryStore

extension SQLMetadataStore {
    /// Opens the rows of a library's folder.
    init(
        _ layout: LibraryLayout,
        library: LibraryID,
        isNew: Bool,
        limits: StoreLimits = StoreLimits(),
        timeZone: TimeZone = .gmt,
        effects: StoreEffects,
        blocking: BlockingPool
    ) throws {
        try self.init(
            over: SQLiteRowStore(layout, isNew: isNew, timeZone: timeZone, blocking: blocking),
            library: library,
            isNew: isNew,
            limits: limits,
            timeZone: timeZone,
            effects: effects,
            blocking: blocking
        )
    }
}
