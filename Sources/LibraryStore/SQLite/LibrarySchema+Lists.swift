extension LibrarySchema {
    /// The usage of each device.
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

    /// Who a resource counts for: null for the asset's device, empty for nobody.
    ///
    /// `released` has the bytes of replaced and reverted edits, which still take up space in quarantine, by the day
    /// since 1970.
    static let payers = """
        ALTER TABLE resource ADD COLUMN payer BLOB;
        CREATE TABLE released (
            device BLOB NOT NULL,
            day INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            PRIMARY KEY (device, day)
        ) STRICT, WITHOUT ROWID;
        """

    /// The timeline's index covers everything filters need of an asset, so that scanning it reads nothing else: asset
    /// rows are a kilobyte each and scattered.
    static let lists = """
        DROP INDEX asset_capture;
        CREATE INDEX asset_timeline ON asset (
            is_trashed, capture_date, id, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes,
            playback_style, in_burst, device
        );
        """

    /// The index of places covers everything filters need of an asset, too.
    static let places = """
        DROP INDEX asset_latitude;
        CREATE INDEX asset_place ON asset (
            latitude, longitude, is_trashed, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes,
            playback_style, in_burst, device, local_date, capture_date, id
        ) WHERE latitude IS NOT NULL;
        """

    /// How far each replica has followed the feed, and up to which number removals have been forgotten.
    ///
    /// `replica.followed` is null for one that does not follow it.
    static let following = """
        ALTER TABLE replica ADD COLUMN followed INTEGER;
        ALTER TABLE library ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX entity_removed ON entity (removed) WHERE removed IS NOT NULL;
        """

    /// What draining devices have announced; `device.is_announced` closes a device's list.
    static let draining = """
        CREATE TABLE announced (
            device BLOB NOT NULL,
            asset BLOB NOT NULL,
            PRIMARY KEY (device, asset)
        ) STRICT, WITHOUT ROWID;
        ALTER TABLE device ADD COLUMN is_announced INTEGER NOT NULL DEFAULT 0;
        """

    /// The words of assets in capture order, see ``WordTable``; previously in insertion order.
    ///
    /// Spelled out, because a migration never changes.
    static let words = """
        CREATE VIRTUAL TABLE asset_word USING fts5 (words, tokenize = 'ascii', prefix = '2 3');
        INSERT INTO asset_word (rowid, words)
            SELECT max(-8589934591, min(8589934591, capture_date / 1000000)) * 536870912 + key AS number, words
            FROM asset_text JOIN asset ON key = asset_text.rowid ORDER BY number;
        DROP TABLE asset_text;
        """

    /// The number of assets captured on each day, so that a timeline counts days instead of assets.
    ///
    /// Triggers maintain it, since every kind of change to an asset's row must be counted. Rows that reach zero are
    /// deleted.
    static let timeline = """
        CREATE TABLE capture_count (
            is_trashed INTEGER NOT NULL,
            day INTEGER NOT NULL,
            capture_month INTEGER NOT NULL,
            is_hidden INTEGER NOT NULL,
            stands_out INTEGER NOT NULL,
            assets INTEGER NOT NULL,
            PRIMARY KEY (is_trashed, day, capture_month, is_hidden, stands_out)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO capture_count
            SELECT is_trashed, \(day("")) AS day, capture_month, is_hidden, stands_out, count(*) FROM asset
            GROUP BY is_trashed, day, capture_month, is_hidden, stands_out;
        CREATE TRIGGER asset_inserted AFTER INSERT ON asset BEGIN \(counted(day)); END;
        CREATE TRIGGER asset_deleted AFTER DELETE ON asset BEGIN \(uncounted(day)); END;
        CREATE TRIGGER asset_updated
            AFTER UPDATE OF capture_date, capture_month, is_trashed, is_hidden, stands_out ON asset
            WHEN (old.capture_date, old.capture_month, old.is_trashed, old.is_hidden, old.stands_out)
                IS NOT (new.capture_date, new.capture_month, new.is_trashed, new.is_hidden, new.stands_out)
            BEGIN \(uncounted(day)); \(counted(day)); END;
        """

    /// The day of a capture, counted from 1970; SQLite's division truncates, and earlier days must be rounded down.
    private static func day(_ row: String) -> String {
        "(\(row)capture_date - (\(row)capture_date % 86400000000 + 86400000000) % 86400000000) / 86400000000"
    }

    /// Counts a row in `capture_count`; `day` returns the day of the row with a prefix.
    static func counted(_ day: (String) -> String) -> String {
        """
        INSERT INTO capture_count VALUES (
            new.is_trashed, \(day("new.")), new.capture_month, new.is_hidden, new.stands_out, 1
        ) ON CONFLICT DO UPDATE SET assets = assets + 1
        """
    }

    /// The reverse of ``counted(_:)``.
    static func uncounted(_ day: (String) -> String) -> String {
        let former = """
            WHERE is_trashed = old.is_trashed AND day = \(day("old.")) AND capture_month = old.capture_month
                AND is_hidden = old.is_hidden AND stands_out = old.stands_out
            """
        return """
            UPDATE capture_count SET assets = assets - 1 \(former);
            DELETE FROM capture_count \(former) AND assets = 0
            """
    }

    /// Finds a device's pictures of a burst, see ``BurstTable``.
    static let bursts = """
        ALTER TABLE asset ADD COLUMN burst TEXT;
        UPDATE asset SET burst = document -> 'burst' ->> 'id' WHERE in_burst = 1;
        CREATE INDEX asset_burst ON asset (burst, device, is_trashed, stands_out, local_date, id)
            WHERE burst IS NOT NULL;
        """

    /// Whether lists show something of every burst, see ``BurstTable/showAll(_:)``.
    static let shownBursts = """
        ALTER TABLE library ADD COLUMN shows_bursts INTEGER NOT NULL DEFAULT 0;
        """

    /// The earlier names of the server's replica.
    ///
    /// A device that took the current name loses it, and so does the server: writes of two authors under one name
    /// swallow each other.
    static let writers = """
        CREATE TABLE former_replica (
            incarnation BLOB PRIMARY KEY
        ) STRICT, WITHOUT ROWID;

        INSERT INTO former_replica SELECT replica FROM library JOIN replica ON replica.incarnation = library.replica;
        DELETE FROM replica WHERE incarnation IN (SELECT incarnation FROM former_replica);
        UPDATE library SET replica = randomblob(16), replica_counter = 0
            WHERE replica IN (SELECT incarnation FROM former_replica);
        """
}
