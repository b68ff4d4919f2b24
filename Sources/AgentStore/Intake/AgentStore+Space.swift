import GRDB
import LibraryAPI
import Persistence
import PhotoModel

extension AgentStore {
    /// Bytes of originals on the box.
    package func keptByteCount() throws -> Int64 {
        try database.read { database in
            try Int64.fetchOne(
                database,
                sql: "SELECT coalesce(sum(byte_count), 0) FROM entries WHERE state <> 'freed'"
            ) ?? 0
        }
    }

    /// Makes room for captures by evicting cached files from the library and, if the limits allow it, the oldest
    /// originals that the library has acknowledged with every digest; never others.
    ///
    /// - Throws: `full`, `storage`.
    func makeSpace(for drafts: [CaptureDraft], _ limits: SpaceLimits) throws {
        // They are on the disk already, so they need no more free space.
        let byteCount = drafts.reduce(0) { $0 + $1.byteCount }
        try makeSpace(for: byteCount, ofWhichWritten: byteCount, asset: drafts.first?.manifest.id, limits)
    }

    /// Makes room for the bytes of files that are about to be written.
    ///
    /// - Throws: `full`, `storage`.
    package func makeSpace(for byteCount: Int64, _ limits: SpaceLimits) throws {
        try makeSpace(for: byteCount, ofWhichWritten: 0, asset: nil, limits)
    }

    private func makeSpace(
        for wanted: Int64,
        ofWhichWritten written: Int64,
        asset: AssetID?,
        _ limits: SpaceLimits
    ) throws {
        func check(afterFreeing freed: Int64 = 0, ofCache cached: Int64 = 0) throws {
            try checkSpace(for: wanted, of: asset, limits, afterFreeing: freed, ofCache: cached + written)
        }
        func hasRoom(afterFreeing freed: Int64 = 0, ofCache cached: Int64 = 0) -> Bool {
            (try? check(afterFreeing: freed, ofCache: cached)) != nil
        }
        do {
            try check()
        } catch let error as AgentStoreError where error.code == .full {
            let entries = try limits.dropsSaved && !isGuest ? saved() : []
            let acknowledged = entries.reduce(0) { $0 + $1.byteCount }
            // Another program may own this folder: a cache that cannot be read cannot be evicted, but is no reason to
            // refuse.
            let cached = (try? cache.byteCount()) ?? 0
            // Nothing is evicted in vain: everything together must make enough room.
            guard hasRoom(afterFreeing: acknowledged, ofCache: cached) else { throw error }
            // The cache goes first if that saves an original; under `maximumByteCount` it does not.
            func originals(besideCache cached: Int64) -> Int {
                var (count, freed): (Int, Int64) = (0, 0)
                while !hasRoom(afterFreeing: freed, ofCache: cached) {
                    guard count < entries.count else { return .max }
                    freed += entries[count].byteCount
                    count += 1
                }
                return count
            }
            let isOfUse = originals(besideCache: cached) < originals(besideCache: 0)
            if isOfUse, cache.giveUp(until: { hasRoom() }) { return }
            guard hasRoom(afterFreeing: acknowledged) else { throw error }
            for entry in entries {
                try free(entry)
                if hasRoom() { return }
            }
            throw error
        }
    }

    /// Why there is no room for this many more bytes, and what to do; nil if there is, or would be after evicting what
    /// may be evicted.
    ///
    /// - Throws: `storage`.
    package func shortage(of byteCount: Int64, _ limits: SpaceLimits) throws -> String? {
        // Evictable bytes are counted only if it matters, since that reads the whole queue and the cache's folder.
        guard try !hasRoom(for: byteCount, limits) else { return nil }
        let acknowledged = try limits.dropsSaved ? saved().reduce(0) { $0 + $1.byteCount } : 0
        let cached = (try? cache.byteCount()) ?? 0
        return try shortage(of: byteCount, limits, afterFreeing: acknowledged, ofCache: cached)
    }

    /// Whether this many more bytes fit without evicting anything.
    ///
    /// - Throws: `storage`.
    package func hasRoom(for byteCount: Int64, _ limits: SpaceLimits) throws -> Bool {
        try shortage(of: byteCount, limits, afterFreeing: 0, ofCache: 0) == nil
    }

    private func shortage(
        of byteCount: Int64,
        _ limits: SpaceLimits,
        afterFreeing freed: Int64,
        ofCache cached: Int64
    ) throws -> String? {
        do {
            try checkSpace(for: byteCount, of: nil, limits, afterFreeing: freed, ofCache: cached)
            return nil
        } catch let error as AgentStoreError where error.code == .full {
            return error.message
        }
    }

    private static let spaceAdvice =
        "connect the box to its library: saved originals go after queue.retentionDays, or at once with "
        + "queue.whenFull: dropSaved"

    /// Whether this many more bytes fit after evicting from the queue and the cache.
    private func checkSpace(
        for wanted: Int64,
        of asset: AssetID?,
        _ limits: SpaceLimits,
        afterFreeing freed: Int64,
        ofCache cached: Int64
    ) throws {
        let free = try fileSystem.freeByteCount(root) + freed + cached
        guard free - wanted >= limits.reserveByteCount else {
            throw AgentStoreError(
                .full,
                asset,
                "\(free) bytes are free, \(limits.reserveByteCount) must stay so (queue.reserveBytes): \(Self.spaceAdvice)"
            )
        }
        guard limits.maximumByteCount != nil || limits.maximumPercent != nil else { return }
        let kept = try keptByteCount() - freed
        if let maximum = limits.maximumByteCount, kept + wanted > maximum {
            throw AgentStoreError(
                .full,
                asset,
                "the queue may take \(maximum) bytes (queue.maximumBytes): raise it, or \(Self.spaceAdvice)"
            )
        }
        if let percent = limits.maximumPercent, kept + wanted > (kept + free) / 100 * Int64(percent) {
            throw AgentStoreError(
                .full,
                asset,
                "the queue may take \(percent) % of the room (queue.maximumPercent): raise it, or \(Self.spaceAdvice)"
            )
        }
    }
}
