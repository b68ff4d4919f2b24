/// The progress of a long-running task.
package struct TransferProgress: Hashable, Sendable, Codable {
    /// Total contents.
    package var contents: Int
    /// Contents done.
    package var doneContents = 0
    /// Total bytes.
    package var byteCount: Int64
    /// Bytes done.
    package var doneBytes: Int64 = 0

    /// Nothing is done yet.
    package init(contents: Int, byteCount: Int64) {
        self.contents = contents
        self.byteCount = byteCount
    }
}
