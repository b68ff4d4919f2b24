extension LibrarySchema {
    /// How far the rows of a limited view are built, see `ViewTable.Stage`; earlier servers built them in one transaction.
    static let viewStages = """
        ALTER TABLE view ADD COLUMN stage INTEGER NOT NULL DEFAULT 0;
        """

    /// Albums that appeared or disappeared, and whose memberships follow in later turns, see ``UnsettledAlbumTable``.
    ///
    /// A deleted album's row goes alone, and its memberships' rows stay for a while, so they no longer refer to it.
    /// `album_member` has those of existing albums, and is what everybody reads.
    static let unsettledAlbums = """
        CREATE TABLE free_album_asset (
            album BLOB NOT NULL,
            asset INTEGER NOT NULL REFERENCES asset (key) ON DELETE CASCADE,
            position BLOB NOT NULL,
            PRIMARY KEY (album, asset)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO free_album_asset (album, asset, position) SELECT album, asset, position FROM album_asset;
        DROP TABLE album_asset;
        ALTER TABLE free_album_asset RENAME TO album_asset;
        CREATE INDEX album_asset_asset ON album_asset (asset);
        CREATE INDEX album_asset_position ON album_asset (album, position);
        CREATE VIEW album_member AS
            SELECT album_asset.album AS album, album_asset.asset AS asset, album_asset.position AS position
            FROM album_asset JOIN album ON album.id = album_asset.album;

        CREATE TABLE unsettled_album (
            album BLOB PRIMARY KEY,
            since INTEGER NOT NULL,
            settled BLOB
        ) STRICT, WITHOUT ROWID;
        """

    /// Whether what a device announced is being deleted, see ``AnnouncedTable``.
    static let forgottenLists = """
        ALTER TABLE device ADD COLUMN is_forgetting INTEGER NOT NULL DEFAULT 0;
        """

    /// Finds the views that contain a changed entity, see ``SharedLook``.
    static let membersByEntity = """
        CREATE INDEX view_member_entity ON view_member (kind, first, second) WHERE gone IS NULL;
        """

    /// Counts the devices that wait for a decision, see ``DeviceTable/pendingCount``.
    static let pendingDevices = """
        CREATE INDEX device_pending ON device (CASE WHEN record -> 'state' -> 'pending' IS NULL THEN 0 ELSE 1 END);
        """

    /// Finds a device's receipts, whatever others have saved.
    static let receiptsByOwner = """
        CREATE INDEX receipt_owner ON receipt (owner, number);
        """

    /// Everything in the trash begins its days there again: `trashed_at` had the dates that devices pushed.
    static let daysInTrash = """
        UPDATE asset SET trashed_at = 1000000 * CAST(strftime('%s', 'now') AS INTEGER) WHERE trashed_at IS NOT NULL;
        """
}
