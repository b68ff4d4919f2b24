package import LibraryAPI
import Logging
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Compares rows, files and, on request, digests.
    ///
    /// What is not as it should be is reported, and moved to quarantine where that loses nothing. Nothing is deleted; a
    /// device that still has missing bytes is asked for them at its next contact.
    ///
    /// - Parameters:
    ///   - choice: how much is compared, and whether damage is moved away.
    ///   - progress: told after every content.
    /// - Returns: the report.
    /// - Throws: what rows or files say.
    package func verify(
        _ choice: MaintenanceTask.Verification,
        progress: @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        var report = VerificationReport()
        report.hasHashed = choice.isHashing
        // What can become plain files does so first; what cannot is verified where it lies.
        do {
            try await settle()
        } catch {
            logger.warning("Journals could not be settled", metadata: ["error": "\(error)"])
        }
        try await verifyRows(choice, progress, &report)
        try await verifyReceipts(&report)
        try await verifyFiles(repairing: choice.isRepairing, &report)
        try await verifyStaging(repairing: choice.isRepairing, &report)
        return report
    }

    private func verifyRows(
        _ choice: MaintenanceTask.Verification,
        _ progress: @Sendable (TransferProgress) -> Void,
        _ report: inout VerificationReport
    ) async throws {
        let counts = try await metadata.statistics()
        let parts = choice.part?.count ?? 1
        var state = TransferProgress(contents: counts.contents / parts, byteCount: counts.contentBytes / Int64(parts))
        let throttle = Throttle(bytesPerSecond: choice.isHashing ? choice.bytesPerSecond : nil)
        var last: ContentDigest?
        while true {
            let rows = try await metadata.contents(after: last, limit: 256)
            guard let end = rows.last else { return }
            last = end.address.digest
            let content = content
            var right: [ContentDigest] = []
            for row in rows where choice.includes(row) {
                let kind = try await blocking.run { try Self.check(row, in: content, hashing: choice.isHashing) }
                if kind == nil, choice.isHashing { right.append(row.address.digest) }
                report.checkedContents += 1
                report.checkedBytes += row.byteCount
                state.doneContents += 1
                state.doneBytes += row.byteCount
                progress(state)
                if let kind { try await note(kind, of: row, repairing: choice.isRepairing, &report) }
                try await throttle.wait(after: report.checkedBytes)
            }
            try await metadata.setHashed(right, at: effects.now())
        }
    }

    private func verifyReceipts(_ report: inout VerificationReport) async throws {
        var last: AssetID?
        repeat {
            let page = try await metadata.verifyReceipts(after: last, limit: 256)
            report.findings += page.findings
            last = page.last
        } while last != nil
    }

    private func note(
        _ kind: VerificationReport.Finding.Kind,
        of row: ContentRow,
        repairing: Bool,
        _ report: inout VerificationReport
    ) async throws {
        logger.error("content is damaged", metadata: ["digest": "\(row.address.digest)", "kind": "\(kind.rawValue)"])
        report.findings.append(
            repairing
                ? try await repair(row, kind)
                : .init(kind: kind, object: row.address.description, isQuarantined: false)
        )
    }

    /// Missing bytes come back from quarantine where they are whole; damaged ones go there, so that none is served.
    private func repair(
        _ row: ContentRow,
        _ kind: VerificationReport.Finding.Kind
    ) async throws -> VerificationReport.Finding {
        let object = row.address.description
        guard kind == .missingBytes else {
            let reason = "damaged: \(kind.rawValue)"
            let isOut = try await commits.quarantine(row.address, isDamaged: true, reason: reason, at: effects.now())
            try await metadata.setMissing(row.address.digest, true)
            return .init(kind: kind, object: object, isQuarantined: isOut)
        }
        let isBack = try await blocking.run { [content] in try content.restoreIfWhole(row.address) }
        if isBack { try await metadata.removeQuarantined(row.address.fileName) }
        try await metadata.setMissing(row.address.digest, !isBack)
        return .init(kind: isBack ? .restoredBytes : kind, object: object, isQuarantined: false)
    }

    private static func check(
        _ row: ContentRow,
        in content: any ContentStore,
        hashing: Bool
    ) throws -> VerificationReport.Finding.Kind? {
        guard let found = try content.byteCount(row.address) else { return .missingBytes }
        guard found == row.byteCount else { return .wrongLength }
        guard hashing else { return nil }
        return try content.measure(row.address)?.digest == row.address.digest ? nil : .wrongDigest
    }

    /// Moves bytes to quarantine that nothing names: those of an upload that was given up after a purge, or what a crash left.
    ///
    /// - Returns: how many files went.
    /// - Throws: what rows or files say.
    package func quarantineUnreferenced() async throws -> Int {
        var report = VerificationReport()
        try await verifyFiles(repairing: true, &report)
        return report.findings.count(where: \.isQuarantined)
    }

    private func verifyFiles(repairing: Bool, _ report: inout VerificationReport) async throws {
        let (addresses, foreign) = try await blocking.run { [content] in
            var addresses: [ContentAddress] = []
            var foreign: [String] = []
            try content.visit { address, name in
                if let address { addresses.append(address) } else { foreign.append(name) }
            }
            return (addresses, foreign)
        }
        report.findings += foreign.map { .init(kind: .foreignFile, object: $0, isQuarantined: false) }
        for start in stride(from: 0, to: addresses.count, by: 256) {
            let page = addresses[start..<min(start + 256, addresses.count)]
            let wanted = try await metadata.wanted(page.map(\.digest))
            for address in page where !wanted.contains(address.digest) {
                var isOut = false
                if repairing {
                    isOut = try await commits.quarantine(address, reason: "no row names it", at: effects.now())
                }
                report.findings.append(
                    .init(kind: .unreferencedBytes, object: address.description, isQuarantined: isOut)
                )
            }
        }
    }

    private func verifyStaging(repairing: Bool, _ report: inout VerificationReport) async throws {
        // Names first: an upload that begins after them is not among them, one that ended is not open.
        let names = try await blocking.run { [content] in try content.stagedNames() }
        let open = Set(try await metadata.openUploads().map(\.description))
        for name in names where !open.contains(name) && !name.hasPrefix("batch-") {
            if repairing { try await blocking.run { [content] in try content.discard(name) } }
            report.findings.append(.init(kind: .abandonedStaging, object: name, isQuarantined: false))
        }
    }

    /// Takes up what a crash left: journals that were sealed become plain files, what no upload will resume is given up.
    ///
    /// Call before serving. A disk without room keeps the journals, from which their contents are served.
    ///
    /// - Returns: how many files in staging, and journals that were never sealed, went.
    /// - Throws: what rows or files say.
    @discardableResult
    package func recover() async throws -> Int {
        let open = Set(try await metadata.openUploads().map(\.description))
        let stale = try await blocking.run { [content] in try content.stagedNames() }.filter { !open.contains($0) }
        try await blocking.run { [content] in
            for name in stale { try content.discard(name) }
        }
        let journals = try await blocking.run { [content] in try content.recoverJournals() }
        if journals.contents > 0 {
            logger.notice("Found contents in journals", metadata: ["count": "\(journals.contents)"])
            do {
                try await settle()
            } catch {
                logger.error("Journals could not be settled", metadata: ["error": "\(error)"])
            }
        }
        let count = stale.count + journals.dropped
        if count > 0 { logger.notice("Gave up what no device was promised", metadata: ["count": "\(count)"]) }
        return count
    }

    /// Makes an asset in the trash go for good; bytes that nothing names any more go to quarantine.
    package func purge(_ asset: AssetID, by caller: StoreCaller) async throws {
        try await quarantine(try await metadata.purge(asset, by: caller), reason: "purged with asset \(asset)")
    }

    /// Purges what has been in the trash for its time, and deletes what has been in quarantine for its time.
    ///
    /// One that cannot be purged or deleted is logged, and the others go.
    ///
    /// - Parameter caller: on whose behalf.
    /// - Returns: assets that were purged and files that were deleted.
    /// - Throws: what rows say where none can be read, and `CancellationError`.
    package func collect(by caller: StoreCaller) async throws -> (purged: Int, deleted: Int) {
        let now = effects.now()
        var purged = 0
        var last: AssetID?
        while true {
            let old = try await metadata.trashed(
                before: now.advanced(by: .zero - settings.trashDuration),
                behind: last,
                limit: 1000
            )
            guard let end = old.last else { break }
            last = end
            for id in old where try await succeeds("purge", id.description, { try await purge(id, by: caller) }) {
                purged += 1
            }
        }
        let items = try await metadata.quarantined(before: now.advanced(by: .zero - settings.quarantineDuration))
        var deleted = 0
        for item in items {
            let isDeleted = try await succeeds("delete", item.fileName) {
                try await blocking.uncancelled { [content] in try content.purge(item.fileName) }
                try await metadata.removeQuarantined(item.fileName)
            }
            if isDeleted { deleted += 1 }
        }
        return (purged, deleted)
    }

    /// Does one of many things; one that fails is logged, and stops no other.
    private func succeeds(_ what: String, _ object: String, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            logger.error(
                "upkeep left something undone",
                metadata: ["what": "\(what)", "object": "\(object)", "error": "\(error)"]
            )
            return false
        }
    }
}

extension MaintenanceTask.Verification {
    /// Whether a content is to be looked at.
    fileprivate func includes(_ row: ContentRow) -> Bool {
        if isHashing, let hashed = row.hashed, let hashedSince, hashed >= hashedSince { return false }
        return part?.contains(row.address.digest) ?? true
    }
}

/// Holds a reader to so many bytes a second on the average.
private struct Throttle {
    let bytesPerSecond: Int64?
    private let start = ContinuousClock.now

    init(bytesPerSecond: Int64?) { self.bytesPerSecond = bytesPerSecond }

    func wait(after byteCount: Int64) async throws {
        guard let bytesPerSecond, bytesPerSecond > 0 else { return }
        let due = start + .milliseconds(byteCount.multipliedReportingOverflow(by: 1000).partialValue / bytesPerSecond)
        if due > .now { try await Task.sleep(until: due) }
    }
}
