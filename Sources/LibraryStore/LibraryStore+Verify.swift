package import LibraryAPI
import Logging
import Persistence
package import PhotoModel

extension LibraryStore {
    /// Compares rows, files and, on request, digests.
    ///
    /// Problems are reported; content is quarantined where that loses nothing, and nothing is deleted. A device that
    /// still has missing bytes is asked for them at its next contact.
    ///
    /// - Parameters:
    ///   - choice: how much to compare, and whether to quarantine damage.
    ///   - progress: called after every content.
    /// - Returns: the report.
    /// - Throws: errors of the rows or the content store.
    package func verify(
        _ choice: MaintenanceTask.Verification,
        progress: @Sendable (TransferProgress) -> Void = { _ in }
    ) async throws -> VerificationReport {
        var report = VerificationReport()
        report.hasHashed = choice.isHashing
        // Settles what can be settled first; the rest is verified in place.
        await settleIfPossible()
        try await verifyRows(choice, progress, &report)
        report.findings += try await metadata.receiptFindings()
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
                let kind = try await Self.check(row, in: content, hashing: choice.isHashing)
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

    /// Restores missing bytes from quarantine if they are intact there, and quarantines damaged ones, so that none is
    /// served.
    private func repair(
        _ row: ContentRow,
        _ kind: VerificationReport.Finding.Kind
    ) async throws -> VerificationReport.Finding {
        let object = row.address.description
        if kind == .wrongLength, let byteCount = try await lengthIfWhole(row.address) {
            // The digest identifies these bytes, so the row's length is wrong, and receipts differ from it.
            try await metadata.setByteCount(byteCount, of: row.address.digest)
            return .init(kind: .correctedLength, object: object, isQuarantined: false)
        }
        guard kind == .missingBytes else {
            let reason = "damaged: \(kind.rawValue)"
            let isOut = try await commits.quarantine(row.address, isDamaged: true, reason: reason, at: effects.now())
            try await metadata.setMissing(row.address.digest, true)
            return .init(kind: kind, object: object, isQuarantined: isOut)
        }
        let isBack = try await content.restoreIfWhole(row.address)
        if isBack { try await metadata.removeQuarantined(row.address.fileName) }
        // Older servers created rows for bytes that a batch announced but never sent.
        if !isBack, try await metadata.deleteUnusedContent(row.address.digest) {
            return .init(kind: .forgottenRow, object: object, isQuarantined: false)
        }
        try await metadata.setMissing(row.address.digest, !isBack)
        return .init(kind: isBack ? .restoredBytes : kind, object: object, isQuarantined: false)
    }

    /// The length of content whose bytes match its digest; nil if they do not.
    private func lengthIfWhole(_ address: ContentAddress) async throws -> Int64? {
        guard let byteCount = try await content.byteCount(address) else { return nil }
        return try await content.open(address).digest() == address.digest ? byteCount : nil
    }

    private static func check(
        _ row: ContentRow,
        in content: any ContentStore,
        hashing: Bool
    ) async throws -> VerificationReport.Finding.Kind? {
        guard let found = try await content.byteCount(row.address) else { return .missingBytes }
        guard found == row.byteCount else { return .wrongLength }
        guard hashing else { return nil }
        do {
            return try await content.open(row.address).digest() == row.address.digest ? nil : .wrongDigest
        } catch let error as PersistenceError where error.code == .notFound {
            return .missingBytes
        }
    }

    /// Quarantines content that no row names: from an upload abandoned after a purge, or left by a crash.
    ///
    /// - Returns: the number of files quarantined.
    /// - Throws: errors of the rows or the content store.
    package func quarantineUnreferenced() async throws -> Int {
        var report = VerificationReport()
        try await verifyFiles(repairing: true, &report)
        return report.findings.count(where: \.isQuarantined)
    }

    private func verifyFiles(repairing: Bool, _ report: inout VerificationReport) async throws {
        var findings: [VerificationReport.Finding] = []
        try await content.visit { page in
            for item in page where item.address == nil {
                findings.append(.init(kind: .foreignFile, object: item.name, isQuarantined: false))
            }
            let addresses = page.compactMap(\.address)
            for start in stride(from: 0, to: addresses.count, by: 256) {
                findings += try await unwanted(addresses[start..<min(start + 256, addresses.count)], repairing)
            }
        }
        report.findings += findings
    }

    /// Those of the given published contents that no row names.
    private func unwanted(
        _ addresses: ArraySlice<ContentAddress>,
        _ repairing: Bool
    ) async throws -> [VerificationReport.Finding] {
        var findings: [VerificationReport.Finding] = []
        for address in try await metadata.unwanted(Array(addresses)) {
            var isOut = false
            if repairing {
                isOut = try await commits.quarantine(address, reason: "no row names it", at: effects.now())
            }
            findings.append(.init(kind: .unreferencedBytes, object: address.description, isQuarantined: isOut))
        }
        return findings
    }

    private func verifyStaging(repairing: Bool, _ report: inout VerificationReport) async throws {
        // Names first: an upload that begins after that is not among them, and one that ended is not open.
        let names = try await content.receptions()
        let open = Set(try await metadata.openUploads().map(\.description))
        for name in names where !open.contains(name) {
            if repairing { try await content.discard([name]) }
            report.findings.append(.init(kind: .abandonedStaging, object: name, isQuarantined: false))
        }
    }

    /// Cleans up after a crash: batches that were durable are settled, and receptions that no upload will resume are
    /// discarded.
    ///
    /// Call before serving. If the disk is full, the batches stay, and their contents are served from them.
    ///
    /// - Returns: the number of discarded receptions, and of batches that were never durable.
    /// - Throws: errors of the rows or the content store.
    @discardableResult
    package func recover() async throws -> Int {
        // Names first, as in `verifyStaging`: another server may be receiving.
        let names = try await content.receptions()
        let open = Set(try await metadata.openUploads().map(\.description))
        let stale = names.filter { !open.contains($0) }
        try await content.discard(stale)
        let batches = try await content.recover()
        if batches.contents > 0 {
            logger.notice("Found contents of batches", metadata: ["count": "\(batches.contents)"])
            await settleIfPossible(orLog: .error)
        }
        let count = stale.count + batches.dropped
        if count > 0 { logger.notice("Discarded bytes that were never confirmed", metadata: ["count": "\(count)"]) }
        return count
    }

    /// Permanently deletes a trashed asset; bytes that nothing uses any more go to quarantine.
    package func purge(_ asset: AssetID, by caller: StoreCaller) async throws {
        try await quarantine(try await metadata.purge(asset, by: caller), reason: "purged with asset \(asset)")
    }

    /// Purges assets whose time in the trash is over, and deletes content whose time in quarantine is over.
    ///
    /// One that cannot be purged or deleted is logged, and does not stop the others.
    ///
    /// - Returns: the numbers of purged assets and deleted files.
    /// - Throws: the rows' error if none can be read, and `CancellationError`.
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
        let items = try await metadata.expiredQuarantine(after: settings.quarantineDuration)
        var deleted = 0
        for item in items {
            let isDeleted = try await succeeds("delete", item.fileName) {
                try await content.purge(item.fileName)
                try await metadata.removeQuarantined(item.fileName)
            }
            if isDeleted { deleted += 1 }
        }
        return (purged, deleted)
    }

    /// Runs one of many steps; a failure is logged, and does not stop the others.
    private func succeeds(_ what: String, _ object: String, _ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return true
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            logger.error(
                "part of the upkeep failed",
                metadata: ["what": "\(what)", "object": "\(object)", "error": "\(error)"]
            )
            return false
        }
    }
}

extension MaintenanceTask.Verification {
    /// Whether to verify a content.
    fileprivate func includes(_ row: ContentRow) -> Bool {
        if isHashing, let hashed = row.hashed, let hashedSince, hashed >= hashedSince { return false }
        return part?.contains(row.address.digest) ?? true
    }
}

/// Limits a reader's average bytes per second.
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
