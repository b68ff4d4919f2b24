/// How far a long piece of work has come.
package struct TransferProgress: Hashable, Sendable, Codable {
    /// Contents in all.
    package var contents: Int
    /// Contents that are done.
    package var doneContents = 0
    /// Bytes in all.
    package var byteCount: Int64
    /// Bytes that are done.
    package var doneBytes: Int64 = 0

    /// Nothing done yet.
    package init(contents: Int, byteCount: Int64) {
        self.contents = contents
        self.byteCount = byteCount
    }
}
