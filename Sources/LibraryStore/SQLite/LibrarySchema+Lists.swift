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

    /// The words of assets in the order of their capture, see ``WordRows``; they were in the order in which assets came.
    ///
    /// Written out, since a migration stays as it was.
    static let words = """
        CREATE VIRTUAL TABLE asset_word USING fts5 (words, tokenize = 'ascii', prefix = '2 3');
        INSERT INTO asset_word (rowid, words)
            SELECT max(-8589934591, min(8589934591, capture_date / 1000000)) * 536870912 + key AS number, words
            FROM asset_text JOIN asset ON key = asset_text.rowid ORDER BY number;
        DROP TABLE asset_text;
        """
}
