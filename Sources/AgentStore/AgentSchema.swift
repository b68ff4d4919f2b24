import Persistence

/// The tables of `state.sqlite`.
///
/// - `entries`: one row an asset that was captured or imported here, in the order of capture (`sequence`).
/// - `facts`: what the agent has to remember besides, one JSON value a name.
///
/// Invariants: a row exists only once its bytes are durable under `originals/<asset id>/`; `receipt` is there exactly in
/// the states `committed` and `freed`; `hold` is there exactly in the state `held`.
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
        )
    ])
}
