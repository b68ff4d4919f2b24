extension PostgreSQLSchema {
    /// The favourites in the order of the timeline, whose index visits the rows of all others: its columns do not
    /// include the key, which SQLite's have of themselves.
    static let favorites = """
        CREATE INDEX asset_favorite ON asset (is_trashed, local_date, id) WHERE is_favorite = 1;
        """

    /// See `LibrarySchema.bursts`.
    static let bursts = """
        ALTER TABLE asset ADD COLUMN burst TEXT COLLATE "C";
        UPDATE asset SET burst = document -> 'burst' ->> 'id' WHERE in_burst = 1;
        CREATE INDEX asset_burst ON asset (burst, device, is_trashed, stands_out, local_date, id)
            WHERE burst IS NOT NULL;
        """

    /// See `LibrarySchema.shownBursts`.
    static let shownBursts = "ALTER TABLE library ADD COLUMN shows_bursts BIGINT NOT NULL DEFAULT 0;"
}
