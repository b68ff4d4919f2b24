extension LibrarySchema {
    /// Lists, counts and words use the local date of a capture instead of the instant.
    ///
    /// That is `asset.local_date`; `library.time_zone` names the zone assumed for captures whose own offset is unknown. Until
    /// ``SQLMetadataStore`` has opened the database with a zone, UTC is assumed.
    static let localDates = """
        ALTER TABLE library ADD COLUMN time_zone TEXT;
        ALTER TABLE asset ADD COLUMN local_date INTEGER NOT NULL DEFAULT 0;
        DROP TRIGGER asset_inserted;
        DROP TRIGGER asset_deleted;
        DROP TRIGGER asset_updated;
        DROP INDEX asset_timeline;
        DROP INDEX asset_device;
        UPDATE asset SET local_date = \(clamped("""
            \(clamped("capture_date")) + 1000000 * max(-64800, min(64800,
                CAST(coalesce(json_extract(document, '$.captureTime.utcOffsetSeconds'), 0) AS INTEGER)))
            """));
        UPDATE asset SET capture_month =
            12 * CAST(strftime('%Y', \(second), 'unixepoch') AS INTEGER)
            + CAST(strftime('%m', \(second), 'unixepoch') AS INTEGER) - 1;
        CREATE INDEX asset_timeline ON asset (
            is_trashed, local_date, id, is_hidden, stands_out, is_favorite, rating, media_type, media_subtypes,
            playback_style, in_burst, device, capture_date
        );
        CREATE INDEX asset_device ON asset (device, local_date);

        DELETE FROM capture_count;
        INSERT INTO capture_count
            SELECT is_trashed, \(day("")) AS day, capture_month, is_hidden, stands_out, count(*) FROM asset
            GROUP BY is_trashed, day, capture_month, is_hidden, stands_out;
        CREATE TRIGGER asset_inserted AFTER INSERT ON asset BEGIN \(counted(day)); END;
        CREATE TRIGGER asset_deleted AFTER DELETE ON asset BEGIN \(uncounted(day)); END;
        CREATE TRIGGER asset_updated
            AFTER UPDATE OF local_date, capture_month, is_trashed, is_hidden, stands_out ON asset
            WHEN (old.local_date, old.capture_month, old.is_trashed, old.is_hidden, old.stands_out)
                IS NOT (new.local_date, new.capture_month, new.is_trashed, new.is_hidden, new.stands_out)
            BEGIN \(uncounted(day)); \(counted(day)); END;

        ALTER TABLE asset_word RENAME TO former_word;
        CREATE VIRTUAL TABLE asset_word USING fts5 (words, tokenize = 'ascii', prefix = '2 3');
        INSERT INTO asset_word (rowid, words)
            SELECT max(-8589934591, min(8589934591, local_date / 1000000)) * 536870912 + key AS number, words
            FROM former_word JOIN asset ON key = former_word.rowid & 536870911 ORDER BY number;
        DROP TABLE former_word;
        """

    /// A time clamped to the years 0 to 9999, in microseconds: an older server accepted any.
    private static func clamped(_ time: String) -> String {
        "max(-62167219200000000, min(253402300799999999, \(time)))"
    }

    /// The second of a local date, counted from 1970; SQLite divides towards zero, and earlier seconds must be rounded
    /// down.
    private static let second = "(local_date - (local_date % 1000000 + 1000000) % 1000000) / 1000000"

    /// The day of a local date, counted from 1970.
    private static func day(_ row: String) -> String {
        "(\(row)local_date - (\(row)local_date % 86400000000 + 86400000000) % 86400000000) / 86400000000"
    }
}
