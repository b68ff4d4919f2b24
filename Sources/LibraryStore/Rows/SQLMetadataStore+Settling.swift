import Authorization
import LibraryAPI
import PhotoModel

extension SQLMetadataStore {
    /// Continues what earlier requests left to later turns; returns the number of acts completed.
    ///
    /// Requests normally complete their own. What a crash, a cancellation or an error interrupted is found here, by
    /// whichever of the library's servers does the upkeep.
    package func resumeTurns() async throws -> Int {
        let (albums, devices) = try await store.read { database in
            (try UnsettledAlbumTable.all(database), try AnnouncedTable.forgetting(database))
        }
        for album in albums { try await settle(album) }
        for device in devices { try await deleteForgotten(of: device) }
        return albums.count + devices.count
    }

    /// Brings an album's memberships in line with it, in as many writer turns as that needs.
    func settle(_ album: AlbumID) async throws {
        while try await settleTurn(of: album) {}
    }

    /// One turn of ``settle(_:)``; false if the album is settled.
    func settleTurn(of album: AlbumID) async throws -> Bool {
        guard let unsettled = try await store.read({ try UnsettledAlbumTable.fetch(album, $0) }) else { return false }
        // Others waiting for the writer get their turn in between.
        try await store.write([.library]) { [widths = turns, effects] database in
            let rows = ReplicatedTable(database: database, effects: effects, note: ChangeNote(.policy, "removed"))
            try UnsettledAlbumTable.settle(unsettled, in: widths, rows)
        }
        return true
    }
}
