import GRDB
package import LibraryAPI
package import PhotoModel

// The library keeps a request for an album that the box may not add to, and applies it after a decision; until then the
// box reports it.

extension AgentStore {
    /// Records the outcome of each asset's album request; nil for one without a request.
    ///
    /// - Throws: `storage`.
    package func noteAlbums(_ outcomes: [AssetID: AlbumOutcome?]) throws {
        var reasons: [AssetID: String] = [:]
        for case (let asset, .deferred(let reason)?) in outcomes { reasons[asset] = reason.rawValue }
        guard try !reasons.isEmpty || !deferredAlbums().isEmpty else { return }
        try database.write { database in
            for asset in outcomes.keys {
                try database.execute(
                    sql: "UPDATE entries SET deferred_album = ?1 WHERE asset_id = ?2 AND deferred_album IS NOT ?1",
                    arguments: [reasons[asset], asset.description]
                )
            }
        }
    }

    /// Forgets deferred albums: the box may now add to them, and the library has applied the requests.
    ///
    /// - Throws: `storage`.
    package func forgetDeferredAlbums() throws {
        guard try !deferredAlbums().isEmpty else { return }
        try database.write { database in
            try database.execute(sql: "UPDATE entries SET deferred_album = NULL WHERE deferred_album IS NOT NULL")
        }
    }

    /// The number of assets not yet in their requested album, by reason.
    ///
    /// - Throws: `storage`.
    package func deferredAlbums() throws -> [AlbumOutcome.DeferralReason: Int] {
        try database.read { database in
            let rows = try Row.fetchAll(
                database,
                sql: """
                    SELECT deferred_album, count(*) FROM entries WHERE deferred_album IS NOT NULL GROUP BY deferred_album
                    """
            )
            let counts = rows.map { (AlbumOutcome.DeferralReason(rawValue: $0[0]), $0[1] as Int) }
            // The library chooses the names: two that differ only in their encoding are equal texts.
            return Dictionary(counts) { $0 + $1 }
        }
    }
}
