import Persistence

/// The tables of `state.sqlite`.
///
/// - `entries`: one row per asset captured or imported here, in capture order (`sequence`).
/// - `facts`: other values to remember, one JSON value per name.
/// - `replica_entities`: the device's view of the library: the library's state of each entity (`base`, the replicated
///   state; `original`, the asset or album as JSON), and `shown`, which is that state with pending local changes.
/// - `replica_changes`: local changes by counter; a row stays until a backup covers it, or a person decides.
/// - `replica_log`: what was shown, changed and hidden here, in order, for observers.
/// - `imports`: fingerprints of imported files by folder, so that unchanged files are not read again; empty after an entry
///   was rejected.
///
/// Invariants: a row exists only once its bytes are durable under `originals/<asset id>/`; `receipt` is set exactly in
/// the states `committed` and `freed`; `hold` is set exactly in the state `held`; `deferred_album` is the reason why a
/// saved asset is not in its requested album.
enum AgentSchema {
    static let schema = DatabaseSchema([
        .init(
            1,
            "the queue",
            sql: """
                CREATE TABLE entries (
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                    asset_id TEXT NOT NULL UNIQUE,
                    device_id TEXT,
                    state TEXT NOT NULL,
                    hold TEXT,
                    manifest BLOB NOT NULL,
                    byte_count INTEGER NOT NULL,
                    is_described INTEGER NOT NULL DEFAULT 0,
                    is_incomplete_live_photo INTEGER NOT NULL DEFAULT 0,
                    boot_id TEXT,
                    added_at INTEGER NOT NULL,
                    problem TEXT,
                    receipt BLOB,
                    committed_at INTEGER,
                    CHECK ((state IN ('committed', 'freed')) = (receipt IS NOT NULL)),
                    CHECK ((state = 'held') = (hold IS NOT NULL))
                ) STRICT;
                CREATE INDEX entries_by_state ON entries (state, sequence);
                CREATE TABLE facts (
                    name TEXT PRIMARY KEY,
                    value BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """
        ),
        .init(
            2,
            "the replica",
            sql: """
                CREATE TABLE replica_entities (
                    kind INTEGER NOT NULL,
                    first TEXT NOT NULL,
                    second TEXT NOT NULL DEFAULT '',
                    base BLOB NOT NULL,
                    original BLOB,
                    shown BLOB,
                    capture_date INTEGER,
                    generation INTEGER NOT NULL,
                    is_local INTEGER NOT NULL DEFAULT 0,
                    PRIMARY KEY (kind, first, second)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX replica_assets_by_date ON replica_entities (capture_date, first)
                    WHERE kind = 2 AND shown IS NOT NULL;
                CREATE INDEX replica_albums_of_asset ON replica_entities (second, first) WHERE kind = 5;
                CREATE TABLE replica_changes (
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                    incarnation TEXT NOT NULL,
                    counter INTEGER NOT NULL,
                    kind INTEGER NOT NULL,
                    first TEXT NOT NULL,
                    second TEXT NOT NULL DEFAULT '',
                    delta BLOB NOT NULL,
                    chain BLOB NOT NULL,
                    state TEXT NOT NULL DEFAULT 'pending',
                    problem BLOB,
                    change_number INTEGER,
                    made_at INTEGER NOT NULL,
                    UNIQUE (incarnation, counter),
                    CHECK ((state = 'refused') = (problem IS NOT NULL))
                ) STRICT;
                CREATE INDEX replica_changes_by_state ON replica_changes (state, sequence);
                CREATE INDEX replica_changes_of_entity ON replica_changes (kind, first, second) WHERE state = 'pending';
                CREATE TABLE replica_log (
                    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
                    kind INTEGER NOT NULL,
                    id TEXT NOT NULL,
                    event TEXT NOT NULL
                ) STRICT;
                """
        ),
        .init(
            3,
            "what costs the same however much was sent already",
            sql: """
                CREATE INDEX entries_to_free ON entries (committed_at) WHERE state = 'committed';
                CREATE INDEX entries_in_sum ON entries (state, hold, byte_count);
                """
        ),
        .init(
            4,
            "imports that need not be read again",
            sql: """
                CREATE TABLE imports (
                    sequence INTEGER PRIMARY KEY,
                    folder TEXT NOT NULL,
                    records BLOB NOT NULL
                ) STRICT;
                CREATE INDEX imports_by_folder ON imports (folder, sequence);
                CREATE TRIGGER imports_of_what_is_gone AFTER DELETE ON entries BEGIN DELETE FROM imports; END;
                """
        ),
        .init(
            5,
            "albums that wait for a decision",
            sql: """
                ALTER TABLE entries ADD COLUMN deferred_album TEXT;
                CREATE INDEX entries_with_deferred_album ON entries (deferred_album) WHERE deferred_album IS NOT NULL;
                """
        ),
        .init(
            6,
            "lists in the order of the clocks at the places of the captures",
            sql: """
                ALTER TABLE replica_entities RENAME COLUMN capture_date TO local_date;
                UPDATE replica_entities SET local_date = local_date + 1000000 * max(-64800, min(64800, CAST(coalesce(
                    json_extract(CAST(shown AS TEXT), '$.captureTime.utcOffsetSeconds'), 0) AS INTEGER)))
                    WHERE kind = 2 AND shown IS NOT NULL;
                """
        ),
        .init(
            7,
            "imports that are read again, since the box may have lost their bytes",
            sql: """
                DELETE FROM imports;
                CREATE TRIGGER imports_of_what_is_rejected AFTER UPDATE OF state ON entries WHEN NEW.state = 'deadLetter'
                    BEGIN DELETE FROM imports; END;
                """
        ),
    ])
}
