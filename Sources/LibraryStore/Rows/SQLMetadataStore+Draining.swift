import Authorization
package import LibraryAPI
package import PhotoModel

extension SQLMetadataStore {
    /// A draining device's progress; nil for any other device.
    package func drainProgress(of device: DeviceID) async throws -> DrainProgress? {
        // Every device's contact asks, and must not wait for others' reads: only a draining one's list may be long.
        let isDraining = try await store.read { try DeviceTable.record(of: device, $0)?.state == .draining }
        guard isDraining else { return nil }
        return try await readWhole { database in
            guard try DeviceTable.record(of: device, database)?.state == .draining else { return nil }
            return try AnnouncedTable.progress(of: device, database)
        }
    }

    /// Handles a draining device's report; its last one ends its rights.
    ///
    /// A list may be long, so it is counted between the transactions: one takes the report, and one ends the rights. If
    /// the second fails, the device reports again.
    package func reportDraining(
        of device: DeviceID,
        _ report: DrainReport,
        audit: AuditContext
    ) async throws -> DrainProgress? {
        try await deleteForgotten(of: device)
        let known = try await report.announced.isEmpty ? 0 : readWhole { try AnnouncedTable.count(of: device, $0) }
        try await store.write([.library, .device(device)]) { database in
            guard try DeviceTable.record(of: device, database)?.state == .draining else { return }
            try AnnouncedTable.add(report, to: known, of: device, database)
        }
        let counted = try await drainProgress(of: device)
        guard let progress = counted, report.isDelivered, progress.isAnnounced else { return counted }
        let ended = try await end(device, progress, audit)
        // Its rights have ended even if this fails: upkeep continues, and reports what is wrong.
        try? await deleteForgotten(of: device)
        return ended
    }

    /// Ends the rights of a draining device; nil if it is no longer one.
    private func end(
        _ device: DeviceID,
        _ progress: DrainProgress,
        _ audit: AuditContext
    ) async throws -> DrainProgress? {
        try await store.write([.library, .device(device)]) { database in
            guard let record = try DeviceTable.record(of: device, database), record.state == .draining else {
                return nil
            }
            let left = progress.remainingCount
            _ = try decide(
                record,
                .state(.drained),
                by: .device(device),
                reason: left == 0
                    ? "delivered all it had announced" : "delivered all but \(left) of what it had announced",
                audit: audit,
                database
            )
            var ended = progress
            ended.isEnded = true
            return ended
        }
    }

    /// Deletes what a device announced before it stopped draining, in as many writer turns as that needs.
    func deleteForgotten(of device: DeviceID) async throws {
        var isLeft = try await store.read { try AnnouncedTable.isForgetting(device, $0) }
        while isLeft {
            // Others waiting for the writer get their turn in between.
            isLeft = try await store.write([.device(device)]) { [count = turns.forgottenAssets] database in
                try AnnouncedTable.deleteForgotten(of: device, atMost: count, database)
            }
        }
    }
}
