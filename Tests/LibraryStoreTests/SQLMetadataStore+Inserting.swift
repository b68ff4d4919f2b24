import Foundation
import GRDB
import PhotoModel

@testable import LibraryStore

extension SQLMetadataStore {
    /// SQLite's own connections, for what only it can be asked.
    var database: DatabasePool {
        guard let rows = store as? SQLiteRowStore else { preconditionFailure("the rows are not in SQLite") }
        return rows.pool
    }

    /// Puts assets straight into rows, without bytes, so that generated ones of any shape can be listed.
    func insertForTests(_ assets: [Asset]) async throws {
        try await store.write([.library]) { database in
            let content = """
                INSERT INTO content (digest, byte_count, file_extension) VALUES (?, 1, 'jpg') ON CONFLICT DO NOTHING
                """
            for asset in assets {
                for resource in asset.resources {
                    try database.execute(content, [Data(resource.digest.bytes)])
                }
                let key = try AssetTable.save(asset, database)
                for album in asset.albums {
                    try database.execute(
                        "INSERT INTO album_asset (album, asset, position) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                        [Data(album.bytes), key, Data([1])]
                    )
                }
            }
        }
    }

    /// Puts an album straight into a row.
    func insertForTests(_ album: Album) async throws {
        try await store.write([.library]) { try AlbumTable.save(album, $0) }
    }
}
