import GRDB
package import LibraryAPI
import Persistence
package import PhotoModel

extension AgentStore {
    /// The result of freeing.
    package struct FreeingReport: Hashable, Sendable {
        /// Assets freed.
        package var count = 0
        /// Bytes freed.
        package var byteCount: Int64 = 0
    }

    /// Frees the bytes of assets whose receipt is older than the retention and, if the library is backed up, not after
    /// the watermark, the last change of the present history in its backup.
    ///
    /// The row says `freed` before the first byte is deleted; after a power cut in between, opening the store
    /// continues. A receipt that does not name every digest of its asset frees nothing.
    ///
    /// - Throws: `storage`.
    package func freeRetained(
        after retention: Duration,
        backupWatermark: ChangeNumber? = nil,
        now: WallTime
    ) throws -> FreeingReport {
        var report = FreeingReport()
        let latest = now.advanced(by: .zero - retention)
        let epoch = try fact(.epoch)
        func isBackedUp(_ entry: QueueEntry) -> Bool {
            guard let backupWatermark, let receipt = entry.receipt?.receipt else { return true }
            return receipt.libraryEpoch == epoch && receipt.changeNumber <= backupWatermark
        }
        var last: CandidatePlace?
        while true {
            let page = try candidates(committedBefore: latest, after: last, limit: Self.freedPageCount)
            for (_, entry) in page where isBackedUp(entry) && isCovered(entry) {
                guard try free(entry) else { continue }
                report.count += 1
                report.byteCount += entry.byteCount
            }
            // Receipts are nearly in change order (two batches may overtake each other), so after a page without
            // backed-up assets there are none.
            guard let end = page.last, page.count == Self.freedPageCount, page.contains(where: { isBackedUp($0.entry) })
            else { return report }
            last = end.place
        }
    }

    /// Entries examined at a time; if the backup is behind, no more than these are read.
    private static let freedPageCount = 64

    private func isCovered(_ entry: QueueEntry) -> Bool {
        entry.receipt?.receipt.covers(entry.id, resources: entry.manifest.resources) ?? false
    }

    /// Entries whose every digest the library has acknowledged, oldest first.
    func saved() throws -> [QueueEntry] {
        try candidates().map(\.entry).filter(isCovered)
    }

    /// Frees an entry's bytes, marking the row first; false, with nothing done, if it is no longer acknowledged: a
    /// restored library may have been offered it again since the entry was read.
    @discardableResult
    func free(_ entry: QueueEntry) throws -> Bool {
        try unsettle()
        let isMarked = try database.write { database in
            try database.execute(
                sql: "UPDATE entries SET state = 'freed' WHERE asset_id = ? AND state = 'committed'",
                arguments: [entry.id.description]
            )
            return database.changesCount > 0
        }
        guard isMarked else { return false }
        try Self.stored(entry.id) { () throws(Persistence.PersistenceError) in
            try fileSystem.removeTree(folder(of: entry.id))
        }
        return true
    }

    /// Offers again every asset still here that another library history acknowledged, and counts them: the library was
    /// restored from a backup.
    ///
    /// Those no longer here are forgotten. A known watermark belongs to the other history, too: nothing of this one counts
    /// as backed up.
    ///
    /// - Throws: `storage`.
    package func offerAgain(unlessOf epoch: LibraryEpoch) throws -> Int {
        // Receipts of another history can only have arrived before the library announced this one.
        let known = try fact(.epoch)
        guard known != epoch else { return 0 }
        let entries = try candidates().map(\.entry).filter { $0.receipt?.receipt.libraryEpoch != epoch }
        try offerAgain(entries)
        try forgetFreed("json_extract(CAST(receipt AS TEXT), '$.receipt.libraryEpoch') <> ?", [epoch.description])
        // Not nil, which frees as if there were no backups.
        let watermark = try fact(.backupWatermark).map { _ in ChangeNumber.zero }
        var former = try fact(.formerEpochs) ?? []
        if let known { former.append(known) }
        former.removeAll { $0 == epoch }
        try setFacts([
            StoredFact(.epoch, epoch), StoredFact(.formerEpochs, Array(former.suffix(Self.formerEpochCount))),
            StoredFact(.backupWatermark, watermark),
        ])
        // Receipts that were stored in between; from here on they are refused.
        let late = try candidates().map(\.entry).filter { entry in
            entry.receipt.map { former.contains($0.receipt.libraryEpoch) } ?? false
        }
        try offerAgain(late)
        return entries.count + late.count
    }

    /// Forgets freed assets whose bytes the library may lack by now: a file with them that is imported again must count
    /// as new.
    private func forgetFreed(_ filter: String, _ arguments: StatementArguments) throws {
        try database.write { database in
            try database.execute(sql: "DELETE FROM entries WHERE state = 'freed' AND \(filter)", arguments: arguments)
            guard database.changesCount > 0 else { return }
            let count = try Fact<UInt64>.forgettingCount.value(database) ?? 0
            try Fact<UInt64>.forgettingCount.set(count + 1, database)
        }
    }

    /// How many histories are remembered: a library that is restored has few, and another one's receipts do not verify.
    private static let formerEpochCount = 16

    /// Offers again assets whose bytes the library lost, as far as they are still here, and counts them; the others are
    /// forgotten.
    ///
    /// - Throws: `storage`.
    package func offerAgain(_ assets: Set<AssetID>) throws -> Int {
        let entries = try entries(assets)
        let kept = entries.filter { $0.state == .committed }
        try offerAgain(kept)
        let gone = entries.filter { $0.state == .freed }.map(\.id.description)
        if !gone.isEmpty {
            let marks = databaseQuestionMarks(count: gone.count)
            try forgetFreed("asset_id IN (\(marks))", StatementArguments(gone))
        }
        return kept.count
    }

    private func offerAgain(_ entries: [QueueEntry]) throws {
        guard !entries.isEmpty else { return }
        try database.write { database in
            for entry in entries {
                try database.execute(
                    sql: """
                        UPDATE entries SET state = 'captured', receipt = NULL, committed_at = NULL
                        WHERE asset_id = ? AND state = 'committed'
                        """,
                    arguments: [entry.id.description]
                )
            }
        }
    }

    /// Corrects the capture times of a boot with a wrong clock, for all pending assets or these, unless already
    /// described to the library; the epoch is the real time at which the boot's monotonic clock read 0.
    ///
    /// - Throws: `storage`.
    @discardableResult
    package func correctClock(
        bootID: BootID,
        monotonicEpoch: WallTime,
        of assets: [AssetID]? = nil
    ) throws -> [AssetID] {
        try database.write { database in
            let only = assets.map { "AND asset_id IN (\(databaseQuestionMarks(count: $0.count)))" } ?? ""
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM entries WHERE boot_id = ? AND is_described = 0
                    AND state IN ('captured', 'held', 'deadLetter') \(only)
                    """,
                arguments: StatementArguments([bootID.description] + (assets ?? []).map(\.description))
            )
            var corrected: [AssetID] = []
            for row in rows {
                var manifest = try Self.entry(row).manifest
                guard let time = manifest.captureTime.corrected(bootID: bootID, monotonicEpoch: monotonicEpoch) else {
                    continue
                }
                manifest.captureTime = time
                try database.execute(
                    sql: "UPDATE entries SET manifest = ? WHERE asset_id = ?",
                    arguments: [try Self.blob(manifest), manifest.id.description]
                )
                corrected.append(manifest.id)
            }
            return corrected
        }
    }

    /// The sort position of an entry among candidates for freeing.
    private struct CandidatePlace {
        var committedAt: Int64
        var sequence: Int64
    }

    private func candidates(
        committedBefore latest: WallTime? = nil,
        after place: CandidatePlace? = nil,
        limit: Int = .max
    ) throws -> [(place: CandidatePlace, entry: QueueEntry)] {
        try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT * FROM entries INDEXED BY entries_to_free
                    WHERE state = 'committed' AND committed_at <= ? AND (committed_at, sequence) > (?, ?)
                    ORDER BY committed_at, sequence LIMIT ?
                    """,
                arguments: [
                    latest?.microsecondsSince1970 ?? .max, place?.committedAt ?? .min, place?.sequence ?? .min, limit,
                ]
            ).map { row in
                (CandidatePlace(committedAt: row["committed_at"], sequence: row["sequence"]), try Self.entry(row))
            }
        }
    }
}
