extension LibrarySchema {
    /// Work on originals and its results, by the original's digest: two assets with the same bytes share both.
    ///
    /// A job that is `leased` belongs to its claimer until it is `due`; the state is a `JobState`.
    static let media = """
        CREATE TABLE derivative (
            digest BLOB PRIMARY KEY,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            duration INTEGER,
            codec TEXT NOT NULL,
            thumb_hash BLOB,
            small_byte_count INTEGER NOT NULL,
            large_byte_count INTEGER NOT NULL,
            made INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        CREATE TABLE job (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,
            is_movie INTEGER NOT NULL,
            state TEXT NOT NULL DEFAULT 'waiting',
            priority INTEGER NOT NULL DEFAULT 0,
            attempts INTEGER NOT NULL DEFAULT 0,
            deaths INTEGER NOT NULL DEFAULT 0,
            due INTEGER NOT NULL DEFAULT 0,
            is_leased INTEGER NOT NULL DEFAULT 0,
            reason TEXT
        ) STRICT;
        CREATE INDEX job_next ON job (state, priority DESC, id);

        CREATE TABLE job_control (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            is_paused INTEGER NOT NULL
        ) STRICT;
        INSERT INTO job_control (only, is_paused) VALUES (1, 0);
        """
}
