/// The video codec of a Live Photo's movie.
package enum MovieCodec: String, Hashable, Sendable, Codable, CaseIterable {
    /// H.264: plays everywhere, and a small box can encode it in real time.
    case h264
    /// HEVC: half the size at several times the work.
    case hevc
}
