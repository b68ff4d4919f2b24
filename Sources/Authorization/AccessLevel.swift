/// The access that a device requests (PhotoKit's `PHAccessLevel`).
public enum AccessLevel: String, CaseIterable, Hashable, Sendable, Codable {
    /// Create assets; see nothing.
    case addOnly
    /// Read and edit, the whole library or a selection of it.
    case readWrite
}
