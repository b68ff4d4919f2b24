extension PostgreSQLSchema {
    /// See `LibrarySchema.viewStages`.
    static let viewStages = "ALTER TABLE view ADD COLUMN stage BIGINT NOT NULL DEFAULT 0;"
}
