extension LibrarySchema {
    /// What each device's assets amount to.
    static let usage = """
        CREATE TABLE device_usage (
            device BLOB PRIMARY KEY,
            assets INTEGER NOT NULL,
            bytes INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        INSERT INTO device_usage (device, assets, bytes)
            SELECT device, count(DISTINCT asset.key), sum(byte_count)
            FROM asset JOIN resource ON resource.asset = asset.key JOIN content USING (digest)
            WHERE device IS NOT NULL GROUP BY device;
        """

    /// The timeline's index holds whatever filters ask of an asset, so that a walk along it reads nothing else: rows of
    /// assets are a kilobyte each and lie anywhere.
    static let lists = """
        DROP INDEX asset_capture;
        CREATE INDEX asset_timeline ON asset (
            is_trashed, capture_date, id, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes,
            playback_style, in_burst, device
        );
        """

    /// How far each replica has followed the feed, and up to which number removals have been forgotten.
    ///
    /// `replica.followed` is nothing for one that does not follow it.
    static let following = """
        ALTER TABLE replica ADD COLUMN followed INTEGER;
        ALTER TABLE library ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX entity_removed ON entity (removed) WHERE removed IS NOT NULL;
        """

    /// What devices that are being retired have announced; `device.is_announced` closes a device's list.
    static let draining = """
        CREATE TABLE announced (
            device BLOB NOT NULL,
            asset BLOB NOT NULL,
            PRIMARY KEY (device, asset)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE device ADD COLUMN is_announced INTEGER NOT NULL DEFAULT 0;
        """
}
