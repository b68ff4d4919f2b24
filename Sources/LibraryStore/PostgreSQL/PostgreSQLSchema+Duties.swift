extension PostgreSQLSchema {
    /// The tables for several servers that share one library.
    ///
    /// `upload.turn` counts the requests that took an upload over; `copy` is the object that the last one made.
    ///
    /// `quarantine` marks objects that stay where they are; one that is `condemned` is being deleted. See `ReclaimRules`.
    ///
    /// `library.authority` is SHA-256 of the key that signs receipts. A server's row is updated every few seconds; the
    /// duties of a server whose row is old are free.
    static let duties = """
        ALTER TABLE library ADD COLUMN authority BYTEA;
        ALTER TABLE job ADD COLUMN holder BIGINT;
        CREATE INDEX job_holder ON job (holder) WHERE is_leased = 1;
        ALTER TABLE quarantine ADD COLUMN condemned BIGINT;
        CREATE UNIQUE INDEX quarantine_file_name ON quarantine (file_name);
        CREATE TABLE server (
            id BIGINT PRIMARY KEY,
            host TEXT COLLATE "C" NOT NULL,
            version TEXT COLLATE "C" NOT NULL,
            folder TEXT COLLATE "C" NOT NULL,
            began BIGINT NOT NULL,
            seen BIGINT NOT NULL
        );
        CREATE TABLE duty (
            name TEXT COLLATE "C" PRIMARY KEY,
            holder BIGINT NOT NULL
        );
        ALTER TABLE upload ADD COLUMN turn BIGINT NOT NULL DEFAULT 0,
            ADD COLUMN copy TEXT COLLATE "C";
        """

    /// `server.clock_ahead` is how far a server's clock is ahead of the database's, in microseconds; null until measured.
    static let clocks = "ALTER TABLE server ADD COLUMN clock_ahead BIGINT;"
}
