import PhotoModel

extension Exporter {
    struct Report: Hashable, Encodable {
        /// A file that could not be written.
        struct Failure: Hashable, Encodable {
            let asset: AssetID
            let path: String
            let reason: String
        }

        /// Files that were written.
        var written = 0
        /// Their bytes.
        var writtenBytes: Int64 = 0
        /// Files that were there already.
        var unchanged = 0
        /// Sidecars and edits rewritten because their content changed.
        var updated = 0
        /// Files that were deleted, since their assets left the library or no longer have them.
        var removed = 0
        /// Files that could not be written.
        var failed: [Failure] = []
    }
}
