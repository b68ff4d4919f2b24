extension PostgreSQLSchema {
    /// The favourites in the order of the timeline, whose index visits the rows of all others: its columns do not
    /// include the key, which SQLite's have of themselves.
    static let favorites = """
        CREATE INDEX asset_favorite ON asset (is_trashed, local_date, id) WHERE is_favorite = 1;
        """
}
