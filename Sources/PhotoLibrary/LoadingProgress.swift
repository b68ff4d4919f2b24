/// The progress of a download.
public struct LoadingProgress: Hashable, Sendable {
    /// Bytes received.
    public let completedBytes: Int64
    /// Total bytes; nil if unknown.
    public let totalBytes: Int64?
}
