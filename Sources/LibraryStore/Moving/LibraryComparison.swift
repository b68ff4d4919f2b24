import LibraryAPI
import Persistence
import PhotoModel

/// Compares an arrived library with its source, before the old place is left.
struct LibraryComparison {
    private static let rangeCount = 64
    private static let pageCount = 256

    let source: any MetadataStore
    let destination: any MetadataStore

    /// Compares identity, counts, the hashes of all entities, receipts and the audit's end, and looks up every content.
    ///
    /// - Parameters:
    ///   - arrival: the arrived library.
    ///   - missing: contents that are known to be missing.
    /// - Returns: the library's identity in both places.
    /// - Throws: `damaged`, naming the first difference.
    func run(_ arrival: LibraryArrival, missing: Set<ContentDigest>) async throws -> LibraryIdentity {
        let identity = try await source.identity()
        try await require("identity", identity == destination.identity())
        try await require("counts", counts(source) == counts(destination))
        let viewer = ChangeViewer.everything(grantVersion: 0)
        let all = ChangeRange.Bounds()
        try await require(
            "entities",
            source.ranges(all, count: Self.rangeCount, for: viewer)
                == destination.ranges(all, count: Self.rangeCount, for: viewer)
        )
        // A library may have had such losses before.
        try await require("receipts", source.receiptFindings() == destination.receiptFindings())
        try await require("the audit's last entry", source.lastAuditEntry() == destination.lastAuditEntry())
        try await compareContents(arrival, missing)
        return identity
    }

    /// The counts of what is moved.
    private func counts(_ store: any MetadataStore) async throws -> LibraryStatistics {
        var counts = try await store.statistics()
        (counts.uploads, counts.quarantined, counts.missing) = (0, 0, 0)
        counts.storage = nil
        return counts
    }

    /// Looks up every content of the new rows at its address.
    private func compareContents(_ arrival: LibraryArrival, _ missing: Set<ContentDigest>) async throws {
        let contents = try await arrival.contents()
        var last: ContentDigest?
        while true {
            let page = try await destination.contents(after: last, limit: Self.pageCount)
            guard let end = page.last else { return }
            last = end.address.digest
            for row in page where !missing.contains(row.address.digest) {
                let isThere = try await contents.has(row)
                try await require("the content \(row.address)", contents.address(of: row) == row.address && isThere)
            }
        }
    }

    private func require(_ what: String, _ isSame: Bool) async throws {
        guard !isSame else { return }
        throw PersistenceError(
            .damaged,
            "compare",
            "the library in its new place",
            "\(what): the new place differs from the old one, which stays in use: run the move again"
        )
    }
}
