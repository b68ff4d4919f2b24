extension PostgreSQLSchema {
    /// The timeline of the server that wrote last, see `EpochGuard`; null before the first check.
    static let timeline = """
        CREATE TABLE written_timeline (
            "only" BIGINT PRIMARY KEY CHECK ("only" = 1),
            timeline TEXT COLLATE "C" NOT NULL
        );

        """
}
