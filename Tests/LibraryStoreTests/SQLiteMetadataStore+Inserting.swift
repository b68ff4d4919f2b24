import Foundation
import GRDB
import PhotoModel

@testable import LibraryStore

extension SQLiteMetadataStore {
    /// Puts assets straight into rows, without bytes, so that generated ones of any shape can be listed.
    func insertForTests(_ assets: [Asset]) async throws {
        try await database.write { database in
            let content = "INSERT OR IGNORE INTO content (digest, byte_count, file_extension) VALUES (?, 1, 'jpg')"
            for asset in assets {
                for resource in asset.resources {
                    try database.execute(sql: content, arguments: [Data(resource.digest.bytes)])
                }
                let key = try AssetTable.save(asset, database)
                for album in asset.albums {
                    try database.execute(
                        sql: "INSERT OR IGNORE INTO album_asset (album, asset, position) VALUES (?, ?, x'01')",
                        arguments: [Data(album.bytes), key]
                    )
                }
            }
        }
    }

    /// Puts an album straight into a row.
    func insertForTests(_ album: Album) async throws {
        try await database.write { try AlbumTable.save(album, $0) }
    }
}
