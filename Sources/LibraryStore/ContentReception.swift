package import Persistence
package import PhotoModel

/// An upload being received, hashed as it arrives; used by one caller at a time.
package protocol ContentReception: Sendable {
    /// The number of bytes received so far, durable or not.
    var byteCount: Int64 { get }
    /// Their SHA-256; nil if this process did not see all of them.
    var digest: ContentDigest? { get }
    /// The copy that `finish` makes of the bytes; nil in a store with one file per digest.
    var copy: String? { get }
    /// Appends bytes, even if the task is cancelled.
    func append(_ bytes: ArraySlice<UInt8>) async throws
    /// Makes everything received durable, and returns the number of durable bytes. If it throws, only what was durable
    /// before counts, and the reception must not be used again.
    func keep() async throws -> Int64
    /// Drops everything received since the last `keep`, or since the upload was continued.
    func revert() async throws
    /// Ends the reception: makes all bytes durable, ready to publish, if they have the announced digest.
    ///
    /// - Parameter announced: SHA-256 of all bytes.
    /// - Returns: false if the digest differs.
    /// - Throws: the store's errors.
    func finish(_ announced: ContentDigest) async throws -> Bool
}

/// Many small contents, received one after the other and made durable together; used by one caller at a time.
package protocol BatchReception: Sendable {
    /// Receives the next steps.
    func take(_ steps: [BatchStep]) async throws
    /// Makes everything durable; returns the contents in order. If it throws, nothing of the batch counts.
    func finish() async throws -> [BatchContent]
    /// Marks the end: nothing more will be published from this batch.
    func end()
    /// Drops the batch, from which nothing was published.
    func discard() async throws
}

/// One step of receiving a batch.
package enum BatchStep: Sendable {
    /// A content begins.
    case begin(ContentAddress, byteCount: Int64)
    /// Bytes of the content.
    case bytes([UInt8])
    /// The content ends.
    case end
}

/// A content received in a batch.
package struct BatchContent: Hashable, Sendable {
    /// What to publish.
    package let publication: Publication
    /// Whether its bytes have the announced digest and length.
    package let isWhole: Bool
}
