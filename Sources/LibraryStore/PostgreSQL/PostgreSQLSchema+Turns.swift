extension PostgreSQLSchema {
    /// See `LibrarySchema.viewStages`.
    static let viewStages = "ALTER TABLE view ADD COLUMN stage BIGINT NOT NULL DEFAULT 0;"

    /// See `LibrarySchema.unsettledAlbums`.
    static let unsettledAlbums = """
        ALTER TABLE album_asset DROP CONSTRAINT album_asset_album_fkey;
        CREATE VIEW album_member AS
            SELECT album_asset.album AS album, album_asset.asset AS asset, album_asset.position AS position
            FROM album_asset JOIN album ON album.id = album_asset.album;

        CREATE TABLE unsettled_album (
            album BYTEA PRIMARY KEY,
            since BIGINT NOT NULL,
            settled BYTEA
        );
        """

    /// See `LibrarySchema.forgottenLists`.
    static let forgottenLists = "ALTER TABLE device ADD COLUMN is_forgetting BIGINT NOT NULL DEFAULT 0;"

    /// See `LibrarySchema.membersByEntity`.
    static let membersByEntity =
        "CREATE INDEX view_member_entity ON view_member (kind, first, second) WHERE gone IS NULL;"

    /// See `LibrarySchema.pendingDevices`.
    static let pendingDevices = """
        CREATE INDEX device_pending ON device
            ((CASE WHEN record -> 'state' -> 'pending' IS NULL THEN 0 ELSE 1 END));
        """

    /// See `LibrarySchema.receiptsByOwner`.
    static let receiptsByOwner = "CREATE INDEX receipt_owner ON receipt (owner, number);"

    /// See `LibrarySchema.daysInTrash`.
    static let daysInTrash = """
        UPDATE asset SET trashed_at = CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)
        WHERE trashed_at IS NOT NULL;
        """
}
