/// How far a download is.
public struct LoadingProgress: Hashable, Sendable {
    /// Bytes that are here.
    public let completedBytes: Int64
    /// Bytes in all; nil while nobody has said.
    public let totalBytes: Int64?
}
