extension LibrarySchema {
    /// How far the rows of a limited view are built, see `ViewTable.Stage`; earlier servers built them in one transaction.
    static let viewStages = """
        ALTER TABLE view ADD COLUMN stage INTEGER NOT NULL DEFAULT 0;
        """
}
