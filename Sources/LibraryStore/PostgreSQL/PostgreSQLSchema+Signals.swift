extension PostgreSQLSchema {
    /// The rows by which servers that share the library tell each other whose requests end, numbered under the
    /// library's lock.
    ///
    /// `origin` is the server that decided, which has already ended its own requests.
    static let signals = """
        ALTER TABLE library ADD COLUMN closure_number BIGINT NOT NULL DEFAULT 0;
        CREATE TABLE closure (
            number BIGINT PRIMARY KEY,
            origin BIGINT NOT NULL,
            kind TEXT COLLATE "C" NOT NULL,
            party BYTEA NOT NULL
        );

        """
}
