import Authorization
package import LibraryAPI
package import PhotoModel

extension SQLMetadataStore {
    /// A draining device's progress; nil for any other device.
    package func drainProgress(of device: DeviceID) async throws -> DrainProgress? {
        try await store.read { database in
            guard try DeviceTable.record(of: device, database)?.state == .draining else { return nil }
            return try AnnouncedTable.progress(of: device, database)
        }
    }

    /// Handles a draining device's report; its last one ends its rights in the same transaction.
    package func reportDraining(
        of device: DeviceID,
        _ report: DrainReport,
        audit: AuditContext
    ) async throws -> DrainProgress? {
        try await store.write([.library, .device(device)]) { database in
            guard let record = try DeviceTable.record(of: device, database), record.state == .draining else {
                return nil
            }
            try AnnouncedTable.add(report, of: device, database)
            var progress = try AnnouncedTable.progress(of: device, database)
            guard report.isDelivered, progress.isAnnounced else { return progress }
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
            progress.isEnded = true
            return progress
        }
    }
}
