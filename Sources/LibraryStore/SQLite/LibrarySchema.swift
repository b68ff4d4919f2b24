import Persistence

/// The tables of `library.sqlite`.
///
/// Identifiers are 16-byte blobs, digests 32-byte blobs, times microseconds since 1970. An asset's `document` is the
/// whole asset as JSON without its albums; every other column of `asset` is derived from it in the same transaction,
/// for filters and orders; `captured_at` is the place before anybody set another, and `trashed_at` when the server learned
/// that it is in the trash. A row of `entity` records when an entity was inserted, last changed and removed: the change
/// feed, one row per entity however often it changes.
/// Migrations are only ever appended.
enum LibrarySchema {
    static let schema = DatabaseSchema([
        DatabaseSchema.Migration(1, "library", sql: library),
        DatabaseSchema.Migration(2, "saving", sql: saving),
        DatabaseSchema.Migration(3, "devices", sql: devices),
        DatabaseSchema.Migration(4, "history", sql: history),
        DatabaseSchema.Migration(5, "recovery", sql: recovery),
        DatabaseSchema.Migration(6, "media", sql: media),
        DatabaseSchema.Migration(7, "usage", sql: usage),
        DatabaseSchema.Migration(8, "lists", sql: lists),
        DatabaseSchema.Migration(9, "following", sql: following),
        DatabaseSchema.Migration(10, "draining", sql: draining),
        DatabaseSchema.Migration(11, "words", sql: words),
        DatabaseSchema.Migration(12, "timeline", sql: timeline),
        DatabaseSchema.Migration(13, "writers", sql: writers),
        DatabaseSchema.Migration(14, "owners", sql: owners),
        DatabaseSchema.Migration(15, "local dates", sql: localDates),
        DatabaseSchema.Migration(16, "places", sql: places),
        DatabaseSchema.Migration(17, "payers", sql: payers),
        DatabaseSchema.Migration(18, "view stages", sql: viewStages),
        DatabaseSchema.Migration(19, "unsettled albums", sql: unsettledAlbums),
        DatabaseSchema.Migration(20, "forgotten lists", sql: forgottenLists),
        DatabaseSchema.Migration(21, "members by entity", sql: membersByEntity),
        DatabaseSchema.Migration(22, "pending devices", sql: pendingDevices),
        DatabaseSchema.Migration(23, "receipts by owner", sql: receiptsByOwner),
        DatabaseSchema.Migration(24, "days in the trash", sql: daysInTrash),
        DatabaseSchema.Migration(25, "bursts", sql: bursts),
        DatabaseSchema.Migration(26, "shown bursts", sql: shownBursts),
    ])

    private static let library = """
        CREATE TABLE library (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            id BLOB NOT NULL,
            epoch BLOB NOT NULL,
            change_number INTEGER NOT NULL DEFAULT 0,
            replica BLOB NOT NULL,
            replica_counter INTEGER NOT NULL DEFAULT 0,
            replica_clock INTEGER NOT NULL DEFAULT 0,
            created INTEGER NOT NULL
        ) STRICT;

        CREATE TABLE entity (
            kind INTEGER NOT NULL,
            first BLOB NOT NULL,
            second BLOB NOT NULL DEFAULT x'',
            inserted INTEGER NOT NULL,
            changed INTEGER NOT NULL,
            removed INTEGER,
            state BLOB,
            PRIMARY KEY (kind, first, second)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX entity_changed ON entity (changed);

        CREATE TABLE asset (
            key INTEGER PRIMARY KEY,
            id BLOB NOT NULL UNIQUE,
            document TEXT NOT NULL,
            captured_at TEXT,
            media_type INTEGER NOT NULL,
            media_subtypes INTEGER NOT NULL,
            playback_style INTEGER NOT NULL,
            capture_date INTEGER NOT NULL,
            capture_month INTEGER NOT NULL,
            addition_date INTEGER NOT NULL,
            device BLOB,
            rating INTEGER NOT NULL,
            is_favorite INTEGER NOT NULL,
            is_hidden INTEGER NOT NULL,
            is_trashed INTEGER NOT NULL,
            trashed_at INTEGER,
            in_burst INTEGER NOT NULL,
            stands_out INTEGER NOT NULL,
            latitude REAL,
            longitude REAL
        ) STRICT;
        CREATE INDEX asset_capture ON asset (is_trashed, capture_date, id);
        CREATE INDEX asset_addition ON asset (is_trashed, addition_date, id);
        CREATE INDEX asset_rating ON asset (is_trashed, rating, id);
        CREATE INDEX asset_device ON asset (device, capture_date);
        CREATE INDEX asset_latitude ON asset (latitude) WHERE latitude IS NOT NULL;
        CREATE INDEX asset_trashed ON asset (trashed_at) WHERE trashed_at IS NOT NULL;

        CREATE TABLE content (
            digest BLOB PRIMARY KEY,
            byte_count INTEGER NOT NULL,
            file_extension TEXT NOT NULL,
            verified INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE resource (
            asset INTEGER NOT NULL REFERENCES asset (key) ON DELETE CASCADE,
            id BLOB NOT NULL,
            digest BLOB NOT NULL REFERENCES content (digest),
            PRIMARY KEY (asset, id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX resource_digest ON resource (digest);

        CREATE TABLE keyword (
            asset INTEGER NOT NULL REFERENCES asset (key) ON DELETE CASCADE,
            text TEXT NOT NULL COLLATE keyword,
            PRIMARY KEY (asset, text)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX keyword_text ON keyword (text, asset);

        CREATE TABLE album (
            id BLOB PRIMARY KEY,
            title TEXT NOT NULL,
            cover BLOB,
            sort_order TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX album_title ON album (title, id);

        CREATE TABLE album_asset (
            album BLOB NOT NULL REFERENCES album (id) ON DELETE CASCADE,
            asset INTEGER NOT NULL REFERENCES asset (key) ON DELETE CASCADE,
            position BLOB NOT NULL,
            PRIMARY KEY (album, asset)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX album_asset_asset ON album_asset (asset);
        CREATE INDEX album_asset_position ON album_asset (album, position);

        CREATE VIRTUAL TABLE asset_text USING fts5 (words, tokenize = 'ascii', prefix = '2 3');
        """

    private static let saving = """
        CREATE TABLE creation (
            asset BLOB NOT NULL,
            owner BLOB NOT NULL,
            manifest TEXT NOT NULL,
            created INTEGER NOT NULL,
            PRIMARY KEY (asset, owner)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE upload (
            id BLOB PRIMARY KEY,
            asset BLOB NOT NULL,
            owner BLOB NOT NULL,
            resource BLOB NOT NULL,
            digest BLOB NOT NULL,
            byte_count INTEGER NOT NULL,
            durable INTEGER NOT NULL DEFAULT 0,
            is_complete INTEGER NOT NULL DEFAULT 0,
            touched INTEGER NOT NULL,
            UNIQUE (asset, owner, resource),
            FOREIGN KEY (asset, owner) REFERENCES creation (asset, owner) ON DELETE CASCADE
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX upload_touched ON upload (touched);
        CREATE INDEX upload_owner ON upload (owner);

        CREATE TABLE receipt (
            asset BLOB NOT NULL,
            owner BLOB NOT NULL,
            number INTEGER NOT NULL,
            signed TEXT NOT NULL,
            album TEXT,
            PRIMARY KEY (asset, owner)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX receipt_number ON receipt (number);

        CREATE TABLE deferred_album (
            asset BLOB NOT NULL,
            owner BLOB NOT NULL,
            desired TEXT NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (asset, owner)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE quarantine (
            key INTEGER PRIMARY KEY,
            digest BLOB NOT NULL,
            file_name TEXT NOT NULL,
            reason TEXT NOT NULL,
            since INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX quarantine_since ON quarantine (since);
        """

    /// `replica.standing`: 0 normal, 1 chosen by an operator and good at its next contact, 2 permanently retired.
    private static let history = """
        CREATE TABLE history (
            number INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            actor TEXT NOT NULL,
            kind INTEGER NOT NULL,
            first BLOB NOT NULL,
            second BLOB NOT NULL,
            what TEXT NOT NULL
        ) STRICT;
        CREATE INDEX history_first ON history (first, number);
        CREATE INDEX history_second ON history (second, number) WHERE second <> x'';

        ALTER TABLE replica ADD COLUMN standing INTEGER NOT NULL DEFAULT 0;
        """

    private static let devices = """
        CREATE TABLE device (
            id BLOB PRIMARY KEY,
            record TEXT NOT NULL,
            profile TEXT NOT NULL,
            grant_version INTEGER NOT NULL,
            last_seen INTEGER
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE device_key (
            fingerprint BLOB PRIMARY KEY,
            device BLOB NOT NULL REFERENCES device (id),
            expires INTEGER NOT NULL,
            is_current INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX device_key_device ON device_key (device);

        CREATE TABLE replica (
            incarnation BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            counter INTEGER NOT NULL,
            chain BLOB NOT NULL,
            host BLOB NOT NULL,
            ticket BLOB NOT NULL,
            earlier_ticket BLOB,
            last_contact INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX replica_device ON replica (device);

        CREATE TABLE refused_change (
            incarnation BLOB NOT NULL,
            counter INTEGER NOT NULL,
            delta BLOB NOT NULL,
            problem TEXT NOT NULL,
            PRIMARY KEY (incarnation, counter)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE access_request (
            device BLOB NOT NULL,
            level TEXT NOT NULL,
            request TEXT NOT NULL,
            opened INTEGER NOT NULL,
            PRIMARY KEY (device, level)
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE record (
            kind TEXT NOT NULL,
            id BLOB NOT NULL,
            secondary BLOB,
            expires INTEGER,
            document TEXT NOT NULL,
            PRIMARY KEY (kind, id)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX record_secondary ON record (kind, secondary) WHERE secondary IS NOT NULL;
        CREATE INDEX record_expires ON record (kind, expires) WHERE expires IS NOT NULL;

        CREATE TABLE audit (
            sequence INTEGER PRIMARY KEY,
            time INTEGER NOT NULL,
            device TEXT,
            entry TEXT NOT NULL
        ) STRICT;
        CREATE INDEX audit_device ON audit (device, sequence);

        CREATE TABLE view (
            device BLOB PRIMARY KEY,
            grant_version INTEGER NOT NULL,
            processed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE view_member (
            device BLOB NOT NULL,
            kind INTEGER NOT NULL,
            first BLOB NOT NULL,
            second BLOB NOT NULL,
            entered INTEGER NOT NULL,
            gone INTEGER,
            PRIMARY KEY (device, kind, first, second, entered)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX view_member_entered ON view_member (device, entered);
        CREATE INDEX view_member_gone ON view_member (device, gone) WHERE gone IS NOT NULL;
        """

    /// Content whose bytes are known to be missing or wrong, until somebody sends them again; and what a backup
    /// contains.
    private static let owners = """
        ALTER TABLE record ADD COLUMN owner TEXT;
        CREATE INDEX record_owner ON record (kind, owner) WHERE owner IS NOT NULL;
        """

    private static let recovery = """
        CREATE TABLE missing_content (
            digest BLOB PRIMARY KEY REFERENCES content (digest) ON DELETE CASCADE,
            since INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        ALTER TABLE library ADD COLUMN backup_number INTEGER;
        ALTER TABLE library ADD COLUMN backup_time INTEGER;
        """
}
