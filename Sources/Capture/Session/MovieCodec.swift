/// How the picture of a Live Photo's movie is compressed.
package enum MovieCodec: String, Hashable, Sendable, Codable, CaseIterable {
    /// H.264: what every player knows, and what a small box can do while it happens.
    case h264
    /// HEVC: half the size, for several times the work.
    case hevc
}
